#pragma once
/// @file
/// Copies of weights in the order in which products read them, for models that write text and are not trained
/// meanwhile.

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "minnow/kernels/gemm.hpp"
#include "minnow/kernels/packed_matrix.hpp"
#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// Keeps the weights of `linear` packed. Results have the same bits. A weight that was written to since is packed anew.
/// Not thread-safe, as the tensors themselves.
class FrozenWeights {
 public:
  /// While one lives, `linear` of this thread takes its weights from there; null: as they are stored.
  class Scope {
   public:
    explicit Scope(FrozenWeights* weights);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    FrozenWeights* before_;
  };

  /// @return those of the innermost Scope of this thread; null when there is none.
  static FrozenWeights* current();

  /// @param spare_bytes of memory that copies of large weights in f32 may take together. They take as much as the
  /// weights themselves, for some 15 % of speed, so only where there is plenty; those in bf16 take half, for twice the
  /// speed.
  explicit FrozenWeights(std::uint64_t spare_bytes = 0) : spare_bytes_(spare_bytes) {}

  /// @param weight (O, I) f32, contiguous
  /// @return the weight packed, or null: a large one in f32 without spare memory for it, or where our own product does
  /// not multiply.
  const kernels::PackedMatrix* packed(const Tensor& weight, kernels::GemmPrecision precision);

 private:
  struct Copy {
    std::weak_ptr<Storage> source;
    std::uint64_t version = 0;  ///< of the source, when it was packed
    kernels::GemmBackend backend = kernels::GemmBackend::kOpenblas;
    kernels::GemmPrecision precision = kernels::GemmPrecision::kF32;
    Shape shape;
    std::shared_ptr<const kernels::PackedMatrix> packed;
    std::uint64_t bytes = 0;  ///< taken from spare_bytes_
  };
  std::uint64_t spare_bytes_;
  kernels::PackedRoom room_;
  std::unordered_map<const void*, Copy> copies_;  // by the first element
};

}  // namespace minnow
