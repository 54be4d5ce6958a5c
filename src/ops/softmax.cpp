#include "minnow/kernels/softmax.hpp"

#include "minnow/ops/loss.hpp"
#include "ops/softmax_like.hpp"

namespace minnow {
namespace ops {
namespace {

struct Softmax : SoftmaxLike<Softmax> {
  static constexpr OpDoc kDoc{"softmax", "softmax(x, axis) -> y", "y = e^x / sum e^x along an axis",
                              "Bridle 1990; a line of nothing but -inf gives 0"};
  template <class T>
  static constexpr auto kForward = &kernels::softmax_forward<T>;
  template <class T>
  static constexpr auto kBackward = &kernels::softmax_backward<T>;
};

}  // namespace
MINNOW_OP(softmax, Softmax);
}  // namespace ops

Tensor softmax(const Tensor& x, Index axis) { return apply_one(ops::op_softmax, {x}, ops::AxisAttrs{axis}); }

}  // namespace minnow
