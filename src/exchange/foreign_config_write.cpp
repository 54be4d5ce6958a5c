#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "minnow/base/error.hpp"
#include "minnow/config/choices.hpp"
#include "minnow/exchange/foreign_config.hpp"

namespace minnow::exchange {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Names that transformers gives the activations; empty: it has none, or only with (without) a gate.
std::string_view activation_word(Family family, Activation activation) {
  const bool gpt2 = family == Family::kGpt2;
  switch (activation) {
    case Activation::kGeluErf:
      return gpt2 ? "gelu" : "";
    case Activation::kGeluTanh:
      return gpt2 ? "gelu_new" : "";
    case Activation::kRelu:
      return gpt2 ? "relu" : "";
    case Activation::kSilu:
      return gpt2 ? "silu" : "";
    case Activation::kSwiglu:
      return gpt2 ? "" : "silu";
    case Activation::kGeglu:
      return gpt2 ? "" : "gelu";
    case Activation::kReglu:
      return gpt2 ? "" : "relu";
  }
  return "";
}

template <class Value>
std::string refusal(Family family, std::string_view what_it_has, std::string_view key, const Value& value) {
  return fmt::format("{} has {}; model.{} is {}", architecture_of(family), what_it_has, key, value);
}

/// What both classes lack.
std::string why_neither(const ModelConfig& model) {
  const Family family = model.family;
  if (model.norm_position != NormPosition::kPre) {
    return refusal(family, "its norms before the sublayers (pre)", "norm_position", choice_name(model.norm_position));
  }
  if (model.sliding_window > 0) {
    return refusal(family, "no window: every position sees all before it", "sliding_window", model.sliding_window);
  }
  if (model.head_bias) return refusal(family, "no bias in the output layer", "head_bias", "true");
  if (activation_word(family, model.activation).empty()) {
    return refusal(family,
                   family == Family::kGpt2 ? "gelu_erf, gelu_tanh, relu or silu" : "the gated swiglu, geglu or reglu",
                   "activation", choice_name(model.activation));
  }
  return "";
}

OrderedJson id_or_null(std::int64_t id) { return id >= 0 ? OrderedJson(id) : OrderedJson(nullptr); }

double init_range(const ModelConfig& model) {
  constexpr double kUsual = 0.02;
  return model.init_std > 0 ? model.init_std : kUsual;
}

OrderedJson gpt2_json(const ModelConfig& model) {
  return {{"model_type", "gpt2"},
          {"n_positions", model.block_size},
          {"n_ctx", model.block_size},  // llama.cpp's converter reads this name
          {"n_embd", model.n_embd},
          {"n_layer", model.n_layer},
          {"n_head", model.n_head},
          {"n_inner", model.n_inner > 0 ? OrderedJson(model.n_inner) : OrderedJson(nullptr)},
          {"activation_function", activation_word(model.family, model.activation)},
          {"layer_norm_epsilon", model.norm_eps},
          {"attn_pdrop", model.attention_dropout()},
          {"resid_pdrop", model.residual_dropout()},
          {"embd_pdrop", model.embedding_dropout()},
          {"scale_attn_weights", true},
          {"scale_attn_by_inverse_layer_idx", false},
          {"reorder_and_upcast_attn", false},
          {"add_cross_attention", false}};
}

OrderedJson llama_json(const ModelConfig& model) {
  return {{"model_type", "llama"},
          {"max_position_embeddings", model.block_size},
          {"hidden_size", model.n_embd},
          {"intermediate_size", model.hidden_width()},
          {"num_hidden_layers", model.n_layer},
          {"num_attention_heads", model.n_head},
          {"num_key_value_heads", model.kv_heads()},
          {"head_dim", model.head_dim()},
          {"hidden_act", activation_word(model.family, model.activation)},
          {"rms_norm_eps", model.norm_eps},
          {"rope_theta", model.rope_theta},  // the old form and the new one
          {"rope_parameters", {{"rope_theta", model.rope_theta}, {"rope_type", "default"}}},
          {"attention_dropout", model.attention_dropout()},
          {"attention_bias", model.attention_has_bias()},
          {"mlp_bias", model.mlp_has_bias()},
          {"pretraining_tp", 1}};
}

}  // namespace

std::string_view architecture_of(Family family) {
  return family == Family::kGpt2 ? "GPT2LMHeadModel" : "LlamaForCausalLM";
}

std::string why_not_foreign(const ModelConfig& model) {
  const Family family = model.family;
  const bool gpt2 = family == Family::kGpt2;
  if (model.position != (gpt2 ? PositionKind::kLearned : PositionKind::kRotary)) {
    return refusal(family, gpt2 ? "a learned table of positions" : "rotary positions", "position",
                   choice_name(model.position));
  }
  if (model.norm != (gpt2 ? NormLayer::kLayer : NormLayer::kRms)) {
    return refusal(family, gpt2 ? "LayerNorm" : "RMSNorm", "norm", choice_name(model.norm));
  }
  if (gpt2 && model.kv_heads() != model.n_head) {
    return refusal(family, "a head of keys and values for each head of queries", "n_kv_head", model.n_kv_head);
  }
  if (!gpt2 && model.rotary_width() != model.head_dim()) {
    return refusal(family, "heads that turn as a whole", "rotary_dim", model.rotary_dim);
  }
  return why_neither(model);
}

std::string write_foreign_config(const ModelConfig& model, std::int64_t vocab_size, TextMarks marks) {
  if (const std::string why = why_not_foreign(model); !why.empty()) {
    throw ConfigError(fmt::format("[export] the model must be one that transformers has; {}", why));
  }
  OrderedJson json = {{"architectures", {architecture_of(model.family)}}};
  json.update(model.family == Family::kGpt2 ? gpt2_json(model) : llama_json(model));
  json["vocab_size"] = vocab_size;
  json["tie_word_embeddings"] = model.tie_head;
  json["initializer_range"] = init_range(model);
  json["bos_token_id"] = id_or_null(marks.begin);
  json["eos_token_id"] = id_or_null(marks.end);
  json["pad_token_id"] = nullptr;
  json["use_cache"] = true;
  json["dtype"] = "float32";
  json["torch_dtype"] = "float32";  // the name before version 5
  return json.dump(2) + "\n";
}

}  // namespace minnow::exchange
