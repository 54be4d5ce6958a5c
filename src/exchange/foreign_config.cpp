#include "minnow/exchange/foreign_config.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "exchange/config_reader.hpp"
#include "exchange/strict_json.hpp"

namespace minnow::exchange {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostLayers = 10'000;
constexpr std::int64_t kMostWidth = 1'000'000;
constexpr std::int64_t kMostWords = 100'000'000;

/// Names of activations in transformers (ACT2FN), as far as minnow computes them.
template <std::size_t N>
Activation activation(const ConfigReader& config, const char* key, const std::string& otherwise,
                      const std::array<std::pair<std::string_view, Activation>, N>& known) {
  const std::string word = config.word(key, otherwise);
  std::string names;
  for (const auto& [name, kind] : known) {
    if (name == word) return kind;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  }
  config.refuse(
      fmt::format("{} must be one that minnow computes ({}); got {}", key, names, ConfigReader::shown(Json(word))));
}

/// gelu_fast is the same formula as gelu_new in other brackets.
Activation gpt2_activation(const ConfigReader& config) {
  using Row = std::pair<std::string_view, Activation>;
  static constexpr auto kKnown = std::to_array<Row>({{"gelu_new", Activation::kGeluTanh},
                                                     {"gelu_pytorch_tanh", Activation::kGeluTanh},
                                                     {"gelu_fast", Activation::kGeluTanh},
                                                     {"gelu", Activation::kGeluErf},
                                                     {"relu", Activation::kRelu},
                                                     {"silu", Activation::kSilu},
                                                     {"swish", Activation::kSilu}});
  return activation(config, "activation_function", "gelu_new", kKnown);
}

Activation llama_activation(const ConfigReader& config) {
  using Row = std::pair<std::string_view, Activation>;
  static constexpr auto kKnown = std::to_array<Row>({{"silu", Activation::kSwiglu},
                                                     {"swish", Activation::kSwiglu},
                                                     {"gelu", Activation::kGeglu},
                                                     {"relu", Activation::kReglu}});
  return activation(config, "hidden_act", "silu", kKnown);
}

void check_heads(const ConfigReader& config, const ModelConfig& model, const char* width, const char* heads) {
  if (model.n_embd % model.n_head == 0) return;
  config.refuse(fmt::format("{} must be a multiple of {}; got {} and {}", width, heads, model.n_embd, model.n_head));
}

ForeignConfig read_gpt2(const ConfigReader& config) {
  ForeignConfig read{.model = ModelConfig::of(Family::kGpt2), .architecture = "GPT2LMHeadModel"};
  ModelConfig& model = read.model;
  model.vocab_size = config.whole({"vocab_size"}, kMostWords);
  model.n_layer = config.whole({"n_layer", "num_hidden_layers"}, kMostLayers);
  model.n_head = config.whole({"n_head", "num_attention_heads"}, kMostLayers);
  model.n_embd = config.whole({"n_embd", "hidden_size"}, kMostWidth);
  model.block_size = config.whole({"n_positions", "max_position_embeddings", "n_ctx"}, kMostWidth);
  model.n_inner = config.whole({"n_inner"}, kMostWidth, 0);
  check_heads(config, model, "n_embd", "n_head");
  model.activation = gpt2_activation(config);
  model.norm_eps = config.number("layer_norm_epsilon", 1e-5, 1e-30, 1);
  constexpr double kMostDropout = 0.999;
  constexpr double kGpt2Dropout = 0.1;  // what the class has where the file says nothing
  model.attn_dropout = config.number("attn_pdrop", kGpt2Dropout, 0, kMostDropout);
  model.resid_dropout = config.number("resid_pdrop", kGpt2Dropout, 0, kMostDropout);
  model.embd_dropout = config.number("embd_pdrop", kGpt2Dropout, 0, kMostDropout);
  config.require("scale_attn_weights", true, "minnow always divides scores by the root of the head's width");
  config.require("scale_attn_by_inverse_layer_idx", false, "minnow scales the scores of all layers alike");
  config.require("add_cross_attention", false, "minnow's GPT-2 has no encoder to attend to");
  (void)config.flag("reorder_and_upcast_attn", false);  // the same formula, rounded elsewhere in half precision
  read.says_tied = config.flag("tie_word_embeddings", true);
  return read;
}

/// The base of the rotary angles, from the new form (rope_parameters) or the old one (rope_theta, rope_scaling).
double rope_theta(const ConfigReader& config) {
  constexpr double kMostTheta = 1e12;
  const double flat = config.number("rope_theta", 0, 1, kMostTheta);
  double theta = flat > 0 ? flat : 10'000.0;
  for (const char* name : {"rope_scaling", "rope_parameters"}) {
    const Json* table = config.find({name});
    if (table == nullptr) continue;
    if (!table->is_object())
      config.refuse(fmt::format("{} must be an object or null; got {}", name, ConfigReader::shown(*table)));
    const ConfigReader inner(*table, name);
    for (const char* key : {"rope_type", "type"}) {
      inner.require(key, "default", "minnow turns by the plain angles");
    }
    inner.require("partial_rotary_factor", 1.0, "of LLaMA the whole head turns");
    const double nested = inner.number("rope_theta", 0, 1, kMostTheta);
    if (nested > 0 && flat > 0 && nested != flat) {
      config.refuse(fmt::format("rope_theta and {}.rope_theta must be the same; got {} and {}", name, flat, nested));
    }
    if (nested > 0) theta = nested;
  }
  return theta;
}

ForeignConfig read_llama(const ConfigReader& config) {
  ForeignConfig read{.model = ModelConfig::of(Family::kLlama), .architecture = "LlamaForCausalLM"};
  ModelConfig& model = read.model;
  model.vocab_size = config.whole({"vocab_size"}, kMostWords);
  model.n_layer = config.whole({"num_hidden_layers"}, kMostLayers);
  model.n_head = config.whole({"num_attention_heads"}, kMostLayers);
  model.n_embd = config.whole({"hidden_size"}, kMostWidth);
  model.n_inner = config.whole({"intermediate_size"}, kMostWidth);
  model.block_size = config.whole({"max_position_embeddings"}, kMostWidth, 2048);
  check_heads(config, model, "hidden_size", "num_attention_heads");
  model.n_kv_head = config.whole({"num_key_value_heads"}, kMostLayers, model.n_head);
  if (model.n_head % model.n_kv_head != 0) {
    config.refuse(fmt::format("num_attention_heads must be a multiple of num_key_value_heads; got {} and {}",
                              model.n_head, model.n_kv_head));
  }
  const std::int64_t head_dim = config.whole({"head_dim"}, kMostWidth, model.head_dim());
  if (head_dim != model.head_dim() || head_dim % 2 != 0) {
    config.refuse(
        fmt::format("head_dim must be hidden_size / num_attention_heads = {} and even: minnow has no other "
                    "heads; got {}",
                    model.head_dim(), head_dim));
  }
  model.activation = llama_activation(config);
  model.norm_eps = config.number("rms_norm_eps", 1e-6, 1e-30, 1);
  model.rope_theta = rope_theta(config);
  constexpr double kMostDropout = 0.999;
  model.attn_dropout = config.number("attention_dropout", 0, 0, kMostDropout);
  model.attn_bias = config.flag("attention_bias", false);
  model.mlp_bias = config.flag("mlp_bias", false);
  read.says_tied = config.flag("tie_word_embeddings", false);
  return read;
}

/// A beginning or end that is no token would only show when transformers runs into it.
void check_marks(const ConfigReader& config, std::int64_t vocab_size) {
  for (const char* key : {"bos_token_id", "eos_token_id"}) {
    const Json* const given = config.find({key});
    if (given == nullptr) continue;
    for (const Json& id : given->is_array() ? *given : Json::array({*given})) {
      if (id.is_number_unsigned() && id.get<std::uint64_t>() < static_cast<std::uint64_t>(vocab_size)) continue;
      config.refuse(fmt::format("{} must be an id of the vocabulary, 0 .. {}, or null; got {}", key, vocab_size - 1,
                                ConfigReader::shown(*given)));
    }
  }
}

}  // namespace

ForeignConfig read_foreign_config(std::string_view text, std::string_view who) {
  const Json json = parse_object(text, who, kMaxConfigBytes);
  const ConfigReader config(json, who);
  if (const Json* how = config.find({"quantization_config"})) {
    config.refuse(fmt::format("quantization_config must be absent: minnow reads f32, f16, bf16 and f64; got {}",
                              ConfigReader::shown(*how)));
  }
  const std::string type = config.word("model_type", "");
  ForeignConfig read;
  if (type == "gpt2") {
    read = read_gpt2(config);
  } else if (type == "llama") {
    read = read_llama(config);
  } else {
    config.refuse(fmt::format("model_type must be \"gpt2\" or \"llama\"; got {}", ConfigReader::shown(Json(type))));
  }
  check_marks(config, read.model.vocab_size);
  const Json* classes = config.find({"architectures"});
  const Json ours = Json::array({read.architecture});
  // GPT2Model and LlamaModel: the same tensors without a head, which tied models do not store anyway.
  const Json bare = Json::array({type == "gpt2" ? "GPT2Model" : "LlamaModel"});
  if (classes != nullptr && *classes != ours && *classes != bare) {
    config.refuse(fmt::format("architectures must be [\"{}\"], a model that predicts the next token; got {}",
                              read.architecture, ConfigReader::shown(*classes)));
  }
  read.model.tie_head = read.says_tied;
  return read;
}

}  // namespace minnow::exchange
