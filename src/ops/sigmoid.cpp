#include "minnow/kernels/vector_math.hpp"
#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Sigmoid : Unary<Sigmoid> {
  static constexpr OpDoc kDoc{"sigmoid", "sigmoid(x) -> y", "y = 1 / (1 + e^-x)", "PyTorch sigmoid"};
  static constexpr Saves kSaves{.outputs = 0b1};
  template <class T>
  static void map(T* y, const T* x, Index n, const Attrs&) {
    kernels::vsigmoid(y, x, n);
  }
  template <class T>
  static T slope(T, T y, const Attrs&) {
    return y * (T{1} - y);
  }
  static std::vector<Sample> samples() { return unary_samples(-3, 3); }
};

}  // namespace
MINNOW_OP(sigmoid, Sigmoid);
}  // namespace ops

Tensor sigmoid(const Tensor& x) { return apply_one(ops::op_sigmoid, {x}, NoAttrs{}); }

}  // namespace minnow
