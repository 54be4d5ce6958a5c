#include "minnow/kernels/vector_math.hpp"
#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Rsqrt : Unary<Rsqrt> {
  static constexpr OpDoc kDoc{"rsqrt", "rsqrt(x) -> y", "y = x^(-1/2)", "PyTorch rsqrt"};
  static constexpr Saves kSaves{.outputs = 0b1};
  template <class T>
  static void map(T* y, const T* x, Index n, const Attrs&) {
    kernels::vsqrt(y, x, n);
    for (Index i = 0; i < n; ++i) y[i] = T{1} / y[i];
  }
  template <class T>
  static T slope(T, T y, const Attrs&) {
    return T{-0.5} * y * y * y;
  }
  static std::vector<Sample> samples() { return unary_samples(0.1, 3); }
};

}  // namespace
MINNOW_OP(rsqrt, Rsqrt);
}  // namespace ops

Tensor rsqrt(const Tensor& x) { return apply_one(ops::op_rsqrt, {x}, NoAttrs{}); }

}  // namespace minnow
