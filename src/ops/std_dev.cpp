#include "minnow/ops/reduction.hpp"
#include "ops/spread.hpp"

namespace minnow {
namespace ops {
namespace {

struct StdDev : Spread<StdDev> {
  static constexpr OpDoc kDoc{"std_dev", "std_dev(x, axes, keepdim, correction) -> y",
                              "y = sqrt(sum of (x - mean)^2 / (n - correction))",
                              "Chan, Golub, LeVeque 1983, corrected two-pass algorithm"};
  static double of_variance(double variance) { return std::sqrt(variance); }
  static double slope(double free, double y, double dout) { return y == 0 ? 0 : dout / (free * y); }
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
