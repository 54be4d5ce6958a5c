#include "minnow/ops/reduction.hpp"
#include "ops/sum_over.hpp"

namespace minnow {
namespace ops {
namespace {

struct Mean : SumOver<Mean> {
  static constexpr OpDoc kDoc{"mean", "mean(x, axes, keepdim) -> y", "y = sum of x over the axes / their number",
                              "NumPy mean"};
  static constexpr bool kMean = true;
};

}  // namespace
MINNOW_OP(mean, Mean);
}  // namespace ops

Tensor mean(const Tensor& x, const Axes& axes, bool keepdim) {
  return apply_one(ops::op_mean, {x}, ops::ReduceAttrs{axes, keepdim});
}

}  // namespace minnow
