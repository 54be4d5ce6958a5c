#include "minnow/ops/reduction.hpp"
#include "ops/reduction.hpp"

namespace minnow {
namespace ops {
namespace {

struct Var : RowReduction<Var> {
  static constexpr OpDoc kDoc{"var", "var(x, axes, keepdim, correction) -> y",
                              "y = sum of (x - mean)^2 / (n - correction)",
                              "Chan, Golub, LeVeque 1983, corrected two-pass algorithm"};
  static constexpr bool kNeedsElements = false;
  template <class T>
  static T value(const T* x, Index n, const Attrs& attrs) {
    return static_cast<T>(moments(x, n).squares / degrees_of_freedom(n, attrs.correction));
  }
  template <class T>
  static void gradient(T* dx, const T* x, Index n, T, T dout, const Attrs& attrs) {
    const double mean = moments(x, n).mean;
    const double factor = 2 * static_cast<double>(dout) / degrees_of_freedom(n, attrs.correction);
    for (Index i = 0; i < n; ++i) dx[i] = static_cast<T>(factor * (static_cast<double>(x[i]) - mean));
  }
  static std::vector<Sample> samples() {
    std::vector<Sample> made = reduction_samples(-2, 2, 0);
    const std::vector<Sample> unbiased = reduction_samples(-2, 2, 1, false);
    made.insert(made.end(), unbiased.begin(), unbiased.end());
    made.push_back({.note = "one element, unbiased: NaN",
                    .inputs = {sample_numbers({3, 1}, 0, 1)},
                    .attrs = AttrBox::of(ReduceAttrs{Axes{1}, false, 1}),
                    .smooth = false});
    return made;
  }
};

}  // namespace
MINNOW_OP(var, Var);
}  // namespace ops

Tensor var(const Tensor& x, const Axes& axes, bool keepdim, double correction) {
  return apply_one(ops::op_var, {x}, ops::ReduceAttrs{axes, keepdim, correction});
}

}  // namespace minnow
