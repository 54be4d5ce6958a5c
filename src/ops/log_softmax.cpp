#include "minnow/kernels/softmax.hpp"
#include "minnow/ops/loss.hpp"
#include "ops/softmax_like.hpp"

namespace minnow {
namespace ops {
namespace {

struct LogSoftmax : SoftmaxLike<LogSoftmax> {
  static constexpr OpDoc kDoc{"log_softmax", "log_softmax(x, axis) -> y", "y = x - ln sum e^x along an axis",
                              "PyTorch nn.functional.log_softmax"};
  template <class T>
  static constexpr auto kForward = &kernels::log_softmax_forward<T>;
  template <class T>
  static constexpr auto kBackward = &kernels::log_softmax_backward<T>;
};

}  // namespace
MINNOW_OP(log_softmax, LogSoftmax);
}  // namespace ops

Tensor log_softmax(const Tensor& x, Index axis) { return apply_one(ops::op_log_softmax, {x}, ops::AxisAttrs{axis}); }

}  // namespace minnow
