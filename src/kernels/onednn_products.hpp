#pragma once
/// @file
/// The primitives of oneDNN that one thread keeps: making one takes 0.1 to 0.3 ms, since oneDNN writes machine code for
/// each shape; looking it up a tenth of a microsecond.

#ifdef MINNOW_HAS_ONEDNN
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/onednn_library.hpp"
#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// What a primitive is made for: C = op(A) op(B) [+ C], factors in f32 or in bf16.
struct OnednnShape {
  bool trans_a, trans_b, bf16, add;
  Index m, n, k, lda, ldb, ldc;
  bool operator==(const OnednnShape&) const = default;
};

struct OnednnShapeHash {
  std::size_t operator()(const OnednnShape& shape) const;
};

/// Of one thread. Everything is made while that thread's OpenMP default is one thread, as parallel_chunks sees to:
/// oneDNN cuts its work for as many threads as it may have when the primitive is made.
class OnednnProducts {
 public:
  OnednnProducts() = default;
  ~OnednnProducts();
  OnednnProducts(const OnednnProducts&) = delete;
  OnednnProducts& operator=(const OnednnProducts&) = delete;

  /// @param a, b numbers of the type that the shape says. @return false where oneDNN has no kernel for the shape: then
  /// nothing was done. @throws MemoryError
  bool multiply(const OnednnShape& shape, const void* a, const void* b, float* c);

  /// @return oneDNN's name of the kernel for a shape; nothing where it has none.
  std::optional<std::string> kernel_of(const OnednnShape& shape);

 private:
  /// Null where oneDNN has no kernel.
  struct Ready {
    dnnl_primitive_t primitive = nullptr;
    dnnl_memory_t a = nullptr, b = nullptr, c = nullptr, scratch = nullptr;
    std::string kernel{};
  };
  /// A line of the processor's cache: the scratch of primitives begins with one.
  struct alignas(64) Line {
    std::byte bytes[64];
  };

  Ready& find(const OnednnShape& shape);
  void make(const OnednnShape& shape, Ready& ready);
  void fill(const OnednnShape& shape, Ready& ready, dnnl_primitive_desc_t description);
  void forget_all();

  std::unordered_map<OnednnShape, Ready, OnednnShapeHash> ready_;
  std::vector<Line> scratch_;
  dnnl_stream_t stream_ = nullptr;
};

}  // namespace minnow::kernels
#endif
