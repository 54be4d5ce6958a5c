#include "minnow/ops/elementwise.hpp"
#include "ops/activation.hpp"

namespace minnow {
namespace ops {
namespace {

struct Relu : ActivationUnary<Relu, kernels::Activation::kRelu> {
  static constexpr OpDoc kDoc{"relu", "relu(x) -> y", "y = max(x, 0)", "Nair, Hinton 2010"};
  static std::vector<Sample> samples() { return two_sided_samples(0.1, 2); }
};

}  // namespace
MINNOW_OP(relu, Relu);
}  // namespace ops

Tensor relu(const Tensor& x) { return apply_one(ops::op_relu, {x}, NoAttrs{}); }

}  // namespace minnow
