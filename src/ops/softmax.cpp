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
  static void rows_forward(T* y, const T* x, Index rows, Index n) {
    kernels::softmax_forward(y, x, rows, n);
  }
  template <class T>
  static void rows_backward(T* dx, const T* y, const T* dout, Index rows, Index n, bool add) {
    kernels::softmax_backward(dx, y, dout, rows, n, add);
  }
};

}  // namespace
MINNOW_OP(softmax, Softmax);
}  // namespace ops

Tensor softmax(const Tensor& x, Index axis) { return apply_one(ops::op_softmax, {x}, ops::AxisAttrs{axis}); }

}  // namespace minnow
