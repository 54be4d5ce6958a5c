// Adapters of the kind loss.

#include "minnow/ops/loss.hpp"

#include "golden/adapter.hpp"
#include "minnow/ops/shape.hpp"

namespace minnow::golden {
namespace {

Reduction reduction_of(Call& call) {
  const std::string name = call.options.text("reduction");
  if (name == "mean") return Reduction::kMean;
  if (name == "sum") return Reduction::kSum;
  if (name == "none") return Reduction::kNone;
  throw Unsupported("option reduction is " + name);
}

Outcome softmax_along(Call& call) { return {{{"y", softmax(call.in("x"), call.options.integer("dim"))}}}; }

Outcome log_softmax_along(Call& call) { return {{{"y", log_softmax(call.in("x"), call.options.integer("dim"))}}}; }

Outcome cross_entropy_of_classes(Call& call) {
  CrossEntropyOptions options;
  options.reduction = reduction_of(call);
  options.ignore_index = call.options.integer("ignore_index");
  options.label_smoothing = call.options.number("label_smoothing");
  const Tensor weight = call.options.flag("weighted") ? call.in("weight") : Tensor();
  return {{{"loss", cross_entropy(call.in("logits"), call.in("target"), options, weight)}}};
}

/// Classes on axis 1, as torch has it for (B, V, T).
Outcome cross_entropy_class_dim1(Call& call) {
  const Tensor logits = transpose(call.in("logits"), 1, 2);
  return {{{"loss", cross_entropy(logits, call.in("target"), {.reduction = reduction_of(call)})}}};
}

}  // namespace

AdapterTable loss_adapters() {
  return {{"softmax", softmax_along},
          {"log_softmax", log_softmax_along},
          {"cross_entropy", cross_entropy_of_classes},
          {"cross_entropy_class_dim1", cross_entropy_class_dim1}};
}

}  // namespace minnow::golden
