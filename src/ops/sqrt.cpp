#include "minnow/kernels/vector_math.hpp"
#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Sqrt : Unary<Sqrt> {
  static constexpr OpDoc kDoc{"sqrt", "sqrt(x) -> y", "y = x^(1/2)", "NumPy sqrt"};
  static constexpr Saves kSaves{.outputs = 0b1};
  template <class T>
  static void map(T* y, const T* x, Index n, const Attrs&) {
    kernels::vsqrt(y, x, n);
  }
  template <class T>
  static T slope(T, T y, const Attrs&) {
    return T{0.5} / y;
  }
  static std::vector<Sample> samples() { return unary_samples(0.1, 3); }
};

}  // namespace
MINNOW_OP(sqrt, Sqrt);
}  // namespace ops

Tensor sqrt(const Tensor& x) { return apply_one(ops::op_sqrt, {x}, NoAttrs{}); }

}  // namespace minnow
