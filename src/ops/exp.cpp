#include "minnow/kernels/vector_math.hpp"
#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Exp : Unary<Exp> {
  static constexpr OpDoc kDoc{"exp", "exp(x) -> y", "y = e^x", "NumPy exp"};
  static constexpr Saves kSaves{.outputs = 0b1};
  template <class T>
  static void map(T* y, const T* x, Index n, const Attrs&) {
    kernels::vexp(y, x, n);
  }
  template <class T>
  static T slope(T, T y, const Attrs&) {
    return y;
  }
  static std::vector<Sample> samples() { return unary_samples(-2, 2); }
};

}  // namespace
MINNOW_OP(exp, Exp);
}  // namespace ops

Tensor exp(const Tensor& x) { return apply_one(ops::op_exp, {x}, NoAttrs{}); }

}  // namespace minnow
