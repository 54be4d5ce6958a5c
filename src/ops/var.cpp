#include "minnow/ops/reduction.hpp"
#include "ops/spread.hpp"

namespace minnow {
namespace ops {
namespace {

struct Var : Spread<Var> {
  static constexpr OpDoc kDoc{"var", "var(x, axes, keepdim, correction) -> y",
                              "y = sum of (x - mean)^2 / (n - correction)",
                              "Chan, Golub, LeVeque 1983, corrected two-pass algorithm"};
  static double of_variance(double variance) { return variance; }
  static double slope(double free, double, double dout) { return 2 * dout / free; }
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
