// Adapters of the kind reduction.

#include "minnow/ops/reduction.hpp"

#include "golden/adapter.hpp"

namespace minnow::golden {
namespace {

template <Tensor (*kFunction)(const Tensor&, const Axes&, bool)>
Outcome reduce(Call& call) {
  const Axes axes = call.options.integers("dim");
  return {{{"y", kFunction(call.in("x"), axes, call.options.flag("keepdim"))}}};
}

template <Tensor (*kFunction)(const Tensor&, const Axes&, bool, double)>
Outcome spread(Call& call) {
  const Axes axes = call.options.integers("dim");
  const bool keepdim = call.options.flag("keepdim");
  return {{{"y", kFunction(call.in("x"), axes, keepdim, call.options.number("correction"))}}};
}

Outcome largest(Call& call) {
  const Index axis = call.options.integer("dim");
  const auto [values, indices] = max_dim(call.in("x"), axis, call.options.flag("keepdim"));
  return {{{"y", values}, {"index", indices}}};
}

Outcome index_of_largest(Call& call) {
  const Index axis = call.options.integer("dim");
  const bool keepdim = call.options.has("keepdim") && call.options.flag("keepdim");
  return {{{"index", argmax(call.in("x"), axis, keepdim)}}};
}

}  // namespace

AdapterTable reduction_adapters() {
  return {{"sum", reduce<sum>},   {"mean", reduce<mean>},           {"var", spread<var>},   {"std", spread<std_dev>},
          {"amax", reduce<amax>}, {"logsumexp", reduce<logsumexp>}, {"prod", reduce<prod>}, {"norm", reduce<norm>},
          {"max_dim", largest},   {"argmax", index_of_largest}};
}

}  // namespace minnow::golden
