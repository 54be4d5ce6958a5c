// Adapters of the kind elementwise.

#include "minnow/ops/elementwise.hpp"

#include "golden/adapter.hpp"
#include "minnow/ops/linear.hpp"

namespace minnow::golden {
namespace {

template <Tensor (*kFunction)(const Tensor&)>
Outcome unary(Call& call) {
  return {{{"y", kFunction(call.in("x"))}}};
}

template <Tensor (*kFunction)(const Tensor&, const Tensor&)>
Outcome binary(Call& call) {
  return {{{"y", kFunction(call.in("a"), call.in("b"))}}};
}

Outcome power(Call& call) { return {{{"y", pow_scalar(call.in("x"), call.options.number("exponent"))}}}; }

Outcome clamped(Call& call) {
  const auto min = call.options.number_or_null("min");
  const auto max = call.options.number_or_null("max");
  return {{{"y", clamp(call.in("x"), min, max)}}};
}

Outcome chosen(Call& call) { return {{{"y", where(call.in("cond"), call.in("a"), call.in("b"))}}}; }

Outcome shared_operand(Call& call) {
  const Tensor& x = call.in("x");
  return {{{"y", x * x + x}}};
}

Outcome diamond(Call& call) {
  const Tensor s = sigmoid(matmul(call.in("x"), call.in("w")));
  return {{{"y", s * exp(s) + s / (1.0 + s * s)}}};
}

}  // namespace

AdapterTable elementwise_adapters() {
  return {{"neg", unary<neg>},
          {"exp", unary<exp>},
          {"log", unary<log>},
          {"sqrt", unary<sqrt>},
          {"rsqrt", unary<rsqrt>},
          {"reciprocal", unary<reciprocal>},
          {"square", unary<square>},
          {"sin", unary<sin>},
          {"cos", unary<cos>},
          {"tanh", unary<tanh>},
          {"sigmoid", unary<sigmoid>},
          {"erf", unary<erf>},
          {"relu", unary<relu>},
          {"gelu_tanh", unary<gelu_tanh>},
          {"gelu_erf", unary<gelu_erf>},
          {"silu", unary<silu>},
          {"softplus", unary<softplus>},
          {"elu", unary<elu>},
          {"abs", unary<abs>},
          {"add", binary<add>},
          {"sub", binary<sub>},
          {"mul", binary<mul>},
          {"div", binary<div>},
          {"pow", binary<pow>},
          {"maximum", binary<maximum>},
          {"minimum", binary<minimum>},
          {"pow_scalar", power},
          {"clamp", clamped},
          {"where", chosen},
          {"expression_x_mul_x_plus_x", shared_operand},
          {"expression_sigmoid_diamond", diamond}};
}

}  // namespace minnow::golden
