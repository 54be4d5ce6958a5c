// Adapters of the kind norm.

#include "minnow/ops/norm.hpp"

#include "golden/adapter.hpp"

namespace minnow::golden {
namespace {

Tensor parameter_if(Call& call, const char* name) { return call.options.flag(name) ? call.param(name) : Tensor(); }

Outcome layer(Call& call) {
  const Shape shape = call.options.integers("normalized_shape");
  const Tensor weight = parameter_if(call, "weight");
  const Tensor bias = parameter_if(call, "bias");
  return {{{"y", layer_norm(call.in("x"), shape, weight, bias, call.options.number("eps"))}}};
}

Outcome root_mean_square(Call& call) {
  const Shape shape = call.options.integers("normalized_shape");
  const Tensor weight = parameter_if(call, "weight");
  return {{{"y", rms_norm(call.in("x"), shape, weight, call.options.number("eps"))}}};
}

}  // namespace

AdapterTable norm_adapters() { return {{"layer_norm", layer}, {"rms_norm", root_mean_square}}; }

}  // namespace minnow::golden
