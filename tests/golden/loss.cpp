// Adapters of the kinds loss and ctc.

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

Outcome cross_entropy_of_probabilities(Call& call) {
  return {{{"loss", cross_entropy_soft(call.in("logits"), call.in("target"), reduction_of(call))}}};
}

Outcome nll_of_classes(Call& call) {
  NllOptions options;
  options.reduction = reduction_of(call);
  options.ignore_index = call.options.integer("ignore_index");
  const Tensor weight = call.options.flag("weighted") ? call.in("weight") : Tensor();
  return {{{"loss", nll_loss(call.in("logp"), call.in("target"), options, weight)}}};
}

Outcome bce_of_logits(Call& call) {
  const Tensor weight = call.options.flag("pos_weighted") ? call.in("pos_weight") : Tensor();
  return {{{"loss", bce_with_logits(call.in("logits"), call.in("target"), reduction_of(call), weight)}}};
}

Outcome squared_error(Call& call) {
  return {{{"loss", mse_loss(call.in("x"), call.in("target"), reduction_of(call))}}};
}

Outcome divergence(Call& call) {
  KlOptions options;
  const std::string name = call.options.text("reduction");
  if (name == "mean") {
    options.reduction = KlReduction::kMean;
  } else if (name == "sum") {
    options.reduction = KlReduction::kSum;
  } else if (name == "none") {
    options.reduction = KlReduction::kNone;
  } else if (name != "batchmean") {
    throw Unsupported("option reduction is " + name);
  }
  options.log_target = call.options.flag("log_target");
  return {{{"loss", kl_div(call.in("logq"), call.in("target"), options)}}};
}

Outcome ctc_of_logits(Call& call) {
  CtcOptions options;
  options.blank = call.options.integer("blank");
  options.reduction = reduction_of(call);
  options.zero_infinity = call.options.flag("zero_infinity");
  call.options.require("from", "logits");
  const Tensor log_probs = log_softmax(call.in("logits"), -1);
  return {{{"loss",
            ctc_loss(log_probs, call.in("targets"), call.in("input_lengths"), call.in("target_lengths"), options)}}};
}

/// One item, all of whose frames and labels count.
Outcome ctc_of_log_probs(Call& call) {
  call.options.require("from", "log_probs");
  const Tensor& log_probs = call.in("logp");
  const Tensor& target = call.in("target");
  const auto length = [](Index n) { return Tensor::full({1}, static_cast<double>(n), DType::i64); };
  return {{{"loss", ctc_loss(log_probs, reshape(target, {1, -1}), length(log_probs.size(0)), length(target.numel()),
                             {.blank = call.options.integer("blank"), .reduction = Reduction::kSum})}}};
}

}  // namespace

AdapterTable ctc_adapters() { return {{"ctc_loss", ctc_of_logits}, {"ctc_loss_log_probs", ctc_of_log_probs}}; }

AdapterTable loss_adapters() {
  return {{"softmax", softmax_along},
          {"log_softmax", log_softmax_along},
          {"cross_entropy", cross_entropy_of_classes},
          {"cross_entropy_class_dim1", cross_entropy_class_dim1},
          {"cross_entropy_soft", cross_entropy_of_probabilities},
          {"nll_loss", nll_of_classes},
          {"bce_with_logits", bce_of_logits},
          {"mse_loss", squared_error},
          {"kl_div", divergence}};
}

}  // namespace minnow::golden
