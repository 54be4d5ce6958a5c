#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Square : Unary<Square> {
  static constexpr OpDoc kDoc{"square", "square(x) -> y", "y = x^2", "NumPy square"};
  static constexpr Saves kSaves{.inputs = 0b1};
  template <class T>
  static void map(T* y, const T* x, Index n, const Attrs&) {
    for (Index i = 0; i < n; ++i) y[i] = x[i] * x[i];
  }
  template <class T>
  static T slope(T x, T, const Attrs&) {
    return T{2} * x;
  }
  static std::vector<Sample> samples() { return unary_samples(-2, 2); }
};

}  // namespace
MINNOW_OP(square, Square);
}  // namespace ops

Tensor square(const Tensor& x) { return apply_one(ops::op_square, {x}, NoAttrs{}); }

}  // namespace minnow
