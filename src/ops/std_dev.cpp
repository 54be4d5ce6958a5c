#include "minnow/ops/reduction.hpp"
#include "ops/reduction.hpp"

namespace minnow {
namespace ops {
namespace {

struct StdDev : RowReduction<StdDev> {
  static constexpr OpDoc kDoc{"std_dev", "std_dev(x, axes, keepdim, correction) -> y",
                              "y = sqrt(sum of (x - mean)^2 / (n - correction))",
                              "Chan, Golub, LeVeque 1983, corrected two-pass algorithm"};
  static constexpr bool kNeedsElements = false;
  template <class T>
  static T value(const T* x, Index n, const Attrs& attrs) {
    return static_cast<T>(std::sqrt(moments(x, n).squares / degrees_of_freedom(n, attrs.correction)));
  }
  template <class T>
  static void gradient(T* dx, const T* x, Index n, T y, T dout, const Attrs& attrs) {
    const double mean = moments(x, n).mean;
    const double scale = degrees_of_freedom(n, attrs.correction) * static_cast<double>(y);
    const double factor = y == T{0} ? 0.0 : static_cast<double>(dout) / scale;
    for (Index i = 0; i < n; ++i) dx[i] = static_cast<T>(factor * (static_cast<double>(x[i]) - mean));
  }
  static std::vector<Sample> samples() {
    std::vector<Sample> made = reduction_samples(-2, 2, 1, false);
    made.push_back({.note = "equal elements: gradient 0",
                    .inputs = {Tensor::full({2, 3}, 0.5, DType::f64)},
                    .attrs = AttrBox::of(ReduceAttrs{Axes{1}}),
                    .smooth = false});
    return made;
  }
};

}  // namespace
MINNOW_OP(std_dev, StdDev);
}  // namespace ops

Tensor std_dev(const Tensor& x, const Axes& axes, bool keepdim, double correction) {
  return apply_one(ops::op_std_dev, {x}, ops::ReduceAttrs{axes, keepdim, correction});
}

}  // namespace minnow
