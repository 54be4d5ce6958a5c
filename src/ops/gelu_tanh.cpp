#include "minnow/ops/elementwise.hpp"
#include "ops/activation.hpp"

namespace minnow {
namespace ops {
namespace {

struct GeluTanh : ActivationUnary<GeluTanh, kernels::Activation::kGeluTanh> {
  static constexpr OpDoc kDoc{"gelu_tanh", "gelu_tanh(x) -> y", "y = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))",
                              "Hendrycks, Gimpel 2016, the approximation"};
  static std::vector<Sample> samples() { return unary_samples(-3, 3); }
};

}  // namespace
MINNOW_OP(gelu_tanh, GeluTanh);
}  // namespace ops

Tensor gelu_tanh(const Tensor& x) { return apply_one(ops::op_gelu_tanh, {x}, NoAttrs{}); }

}  // namespace minnow
