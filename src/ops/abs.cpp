#include <cmath>

#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Abs : Unary<Abs> {
  static constexpr OpDoc kDoc{"abs", "abs(x) -> y", "y = |x|", "NumPy absolute"};
  static constexpr Saves kSaves{.inputs = 0b1};
  template <class T>
  static void map(T* y, const T* x, Index n, const Attrs&) {
    for (Index i = 0; i < n; ++i) y[i] = std::abs(x[i]);
  }
  template <class T>
  static T slope(T x, T, const Attrs&) {
    return x > T{0} ? T{1} : (x < T{0} ? T{-1} : T{0});
  }
  static std::vector<Sample> samples() { return two_sided_samples(0.1, 2); }
};

}  // namespace
MINNOW_OP(abs, Abs);
}  // namespace ops

Tensor abs(const Tensor& x) { return apply_one(ops::op_abs, {x}, NoAttrs{}); }

}  // namespace minnow
