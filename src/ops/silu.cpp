#include "minnow/ops/elementwise.hpp"
#include "ops/activation.hpp"

namespace minnow {
namespace ops {
namespace {

struct Silu : ActivationUnary<Silu, kernels::Activation::kSilu> {
  static constexpr OpDoc kDoc{"silu", "silu(x) -> y", "y = x / (1 + e^-x)", "Elfwing, Uchibe, Doya 2018"};
  static std::vector<Sample> samples() { return unary_samples(-3, 3); }
};

}  // namespace
MINNOW_OP(silu, Silu);
}  // namespace ops

Tensor silu(const Tensor& x) { return apply_one(ops::op_silu, {x}, NoAttrs{}); }

}  // namespace minnow
