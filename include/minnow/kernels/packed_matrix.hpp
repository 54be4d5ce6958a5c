#pragma once
/// @file
/// A factor of products that is packed once for many of them: the weights of a model that writes.

#include <cstddef>
#include <memory>

#include "minnow/kernels/gemm.hpp"

namespace minnow::kernels {

/// Memory for packed matrices, which follow each other in slabs of huge pages: what is read from end to end for every
/// token comes at half the speed from small ones (src/decisions/0008-own-products.md). A slab is given back when the
/// last matrix in it is gone. Not thread-safe.
class PackedRoom {
 public:
  /// @return room for `bytes`, aligned to a cache line, not initialised. Throws: MemoryError.
  std::shared_ptr<float> take(std::size_t bytes);

 private:
  std::shared_ptr<std::byte> slab_;
  std::size_t used_ = 0;  // of slab_
  std::size_t size_ = 0;
};

/// B (n, k) of C = A B^T, as our own product reads it: strips of kStrip columns of B^T, along k in blocks. The sums
/// have the bits that they have without it.
class PackedMatrix {
 public:
  static constexpr Index kStrip = 32;   ///< columns of C that a strip makes
  static constexpr Index kBlock = 384;  ///< lanes (one f32, or two bf16) of k in a block

  /// @param b (n, k), row-major, `ldb` elements from row to row
  /// @param room where it is to lie
  /// @return null where our own product does not do this precision (see GemmBackend). Throws: MemoryError.
  static std::shared_ptr<const PackedMatrix> pack(const float* b, Index n, Index k, Index ldb, GemmPrecision precision,
                                                  PackedRoom& room);

  [[nodiscard]] GemmPrecision precision() const { return precision_; }
  /// @param block of k, @param strip number of the strip; lanes of 32 bits, [lane][kStrip]
  [[nodiscard]] const void* strip(Index block, Index strip) const;
  /// @return lanes of a block: kBlock, or what is left in the last one.
  [[nodiscard]] Index lanes(Index block) const;

 private:
  PackedMatrix(Index n, Index k, GemmPrecision precision, PackedRoom& room);
  [[nodiscard]] Index strips() const { return (n_ + kStrip - 1) / kStrip; }
  [[nodiscard]] Index depth() const { return precision_ == GemmPrecision::kBf16 ? 2 : 1; }

  Index n_, k_;
  GemmPrecision precision_;
  std::shared_ptr<float> data_;
};

/// gemm with trans_b whose B was packed before, in the precision of the product. The bits are those of gemm.
/// @param b the packed matrix; null: args.b is multiplied as it is
void gemm_packed(const GemmArgs<float>& args, const PackedMatrix* b);

}  // namespace minnow::kernels
