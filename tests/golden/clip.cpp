// Adapter of the kind clip.

#include "golden/adapter.hpp"
#include "minnow/optim/flat.hpp"

namespace minnow::golden {
namespace {

NormKind norm_kind(Call& call) {
  const Json& type = call.options.json("norm_type");
  if (type == 2.0) return NormKind::kTwo;
  if (type == 1.0) return NormKind::kOne;
  if (type == "inf") return NormKind::kInf;
  throw Unsupported("option norm_type is " + type.dump());
}

Outcome clip(Call& call) {
  const NormKind kind = norm_kind(call);
  const Values given = call.all_in();
  std::vector<Tensor> gradients;
  for (const auto& [name, value] : given) gradients.push_back(value.clone());
  const double total = clip_gradients(gradients, call.options.number("max_norm"), kind);
  Outcome outcome;
  outcome.outputs["total_norm"] = Tensor::full({}, total, call.dtype());
  std::size_t next = 0;
  for (const auto& [name, value] : given) outcome.outputs[name] = gradients[next++];
  return outcome;
}

}  // namespace

AdapterTable clip_adapters() { return {{"clip_grad_norm", clip}}; }

}  // namespace minnow::golden
