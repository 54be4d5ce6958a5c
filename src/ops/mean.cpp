#include "minnow/ops/reduction.hpp"
#include "ops/sum_over.hpp"

namespace minnow {
namespace ops {
namespace {

struct Mean : SumOver<Mean> {
  static constexpr OpDoc kDoc{"mean", "mean(x, axes, keepdim) -> y", "y = sum of x over the axes / their number",
                              "NumPy mean"};
  static constexpr bool kMean = true;
  static std::vector<Sample> samples() {
    std::vector<Sample> made = reduction_samples(-2, 2);
    made.push_back({.note = "cut into slabs, one result",
                    .inputs = {sample_numbers({300, 700}, -1, 1)},
                    .attrs = AttrBox::of(ReduceAttrs{})});
    made.push_back({.note = "cut into slabs, few results",
                    .inputs = {sample_numbers({3000, 70}, -1, 1)},
                    .attrs = AttrBox::of(ReduceAttrs{Axes{0}})});
    made.push_back({.note = "nothing to add",
                    .inputs = {sample_numbers({0, 3}, -1, 1)},
                    .attrs = AttrBox::of(ReduceAttrs{Axes{0}}),
                    .smooth = false});
    return made;
  }
};

}  // namespace
MINNOW_OP(mean, Mean);
}  // namespace ops

Tensor mean(const Tensor& x, const Axes& axes, bool keepdim) {
  return apply_one(ops::op_mean, {x}, ops::ReduceAttrs{axes, keepdim});
}

}  // namespace minnow
