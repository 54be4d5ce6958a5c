#include "minnow/ops/reduction.hpp"
#include "ops/sum_over.hpp"

namespace minnow {
namespace ops {
namespace {

struct Sum : SumOver<Sum> {
  static constexpr OpDoc kDoc{"sum", "sum(x, axes, keepdim) -> y", "y = sum of x over the axes", "NumPy sum"};
  static constexpr bool kMean = false;
};

}  // namespace
MINNOW_OP(sum, Sum);
}  // namespace ops

Tensor sum(const Tensor& x, const Axes& axes, bool keepdim) {
  return apply_one(ops::op_sum, {x}, ops::ReduceAttrs{axes, keepdim});
}

}  // namespace minnow
