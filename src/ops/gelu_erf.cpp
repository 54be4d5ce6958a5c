#include "minnow/ops/elementwise.hpp"
#include "ops/activation.hpp"

namespace minnow {
namespace ops {
namespace {

struct GeluErf : ActivationUnary<GeluErf, kernels::Activation::kGeluErf> {
  static constexpr OpDoc kDoc{"gelu_erf", "gelu_erf(x) -> y", "y = x/2 (1 + erf(x / sqrt 2))",
                              "Hendrycks, Gimpel 2016"};
  static std::vector<Sample> samples() { return unary_samples(-3, 3); }
};

}  // namespace
MINNOW_OP(gelu_erf, GeluErf);
}  // namespace ops

Tensor gelu_erf(const Tensor& x) { return apply_one(ops::op_gelu_erf, {x}, NoAttrs{}); }

}  // namespace minnow
