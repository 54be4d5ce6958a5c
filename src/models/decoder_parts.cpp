#include "models/decoder_parts.hpp"

#include <fmt/format.h>

#include <cmath>

namespace minnow {
namespace {

constexpr double kGpt2Std = 0.02;
constexpr Index kSitesPerBlock = 3;  // attention weights, behind attention, behind the MLP; site 0 is the embedding's

constexpr DecoderNames kGpt2Names{.root = "transformer",
                                  .embedding = "transformer.wte.weight",
                                  .positions = "transformer.wpe.weight",
                                  .blocks = "transformer.h",
                                  .final_norm = "transformer.ln_f",
                                  .norm_1 = "ln_1",
                                  .norm_2 = "ln_2",
                                  .qkv = "attn.c_attn",
                                  .q = {},
                                  .k = {},
                                  .v = {},
                                  .out = "attn.c_proj",
                                  .gate = "mlp.c_gate",
                                  .up = "mlp.c_fc",
                                  .down = "mlp.c_proj"};

constexpr DecoderNames kLlamaNames{.root = "model",
                                   .embedding = "model.embed_tokens.weight",
                                   .positions = "model.embed_positions.weight",
                                   .blocks = "model.layers",
                                   .final_norm = "model.norm",
                                   .norm_1 = "input_layernorm",
                                   .norm_2 = "post_attention_layernorm",
                                   .qkv = {},
                                   .q = "self_attn.q_proj",
                                   .k = "self_attn.k_proj",
                                   .v = "self_attn.v_proj",
                                   .out = "self_attn.o_proj",
                                   .gate = "mlp.gate_proj",
                                   .up = "mlp.up_proj",
                                   .down = "mlp.down_proj"};

kernels::Activation activation_of(Activation kind) {
  switch (kind) {
    case Activation::kGeluErf:
    case Activation::kGeglu:
      return kernels::Activation::kGeluErf;
    case Activation::kGeluTanh:
      return kernels::Activation::kGeluTanh;
    case Activation::kRelu:
    case Activation::kReglu:
      return kernels::Activation::kRelu;
    case Activation::kSilu:
    case Activation::kSwiglu:
      return kernels::Activation::kSilu;
  }
  return kernels::Activation::kGeluErf;
}

/// Adds the parameters of one block, whose tensors begin with `prefix`.
class BlockMaker {
 public:
  BlockMaker(ParameterList& list, const ModelConfig& config, std::string prefix)
      : list_(list), config_(config), names_(decoder_names(config.family)), prefix_(std::move(prefix)) {}

  nn::Norm norm(std::string_view name) {
    return nn::Norm::make(list_, full(name), config_.n_embd, norm_type(config_.norm), config_.bias, config_.norm_eps);
  }

  SelfAttention attention() {
    const Index width = config_.n_embd;
    const Index narrow = config_.kv_heads() * config_.head_dim();  // of keys and of values
    const bool bias = config_.attention_has_bias();
    SelfAttention made;
    if (!names_.qkv.empty()) {
      made.qkv =
          nn::Linear::make(list_, full(names_.qkv), width, width + 2 * narrow, bias, plain(), {width, narrow, narrow});
    } else {
      made.q = linear(names_.q, width, width, bias, plain());
      made.k = linear(names_.k, width, narrow, bias, plain());
      made.v = linear(names_.v, width, narrow, bias, plain());
    }
    made.out = linear(names_.out, width, width, bias, residual());
    made.n_head = config_.n_head;
    made.n_kv_head = config_.kv_heads();
    made.window = config_.sliding_window;
    made.pairs = config_.rope_style == RopeStyle::kInterleaved ? RopePairs::kInterleaved : RopePairs::kHalves;
    made.dropout = config_.attention_dropout();
    return made;
  }

  FeedForward feed_forward() {
    const Index width = config_.n_embd;
    const Index hidden = config_.hidden_width();
    const bool bias = config_.mlp_has_bias();
    FeedForward made;
    if (config_.gated()) made.gate = linear(names_.gate, width, hidden, bias, plain());
    made.up = linear(names_.up, width, hidden, bias, plain());
    made.down = linear(names_.down, hidden, width, bias, residual());
    made.activation = activation_of(config_.activation);
    return made;
  }

 private:
  [[nodiscard]] std::string full(std::string_view name) const { return fmt::format("{}.{}", prefix_, name); }
  [[nodiscard]] Initializer plain() const { return Initializer::normal(decoder_init_std(config_)); }
  /// Of what is added to the stream: its variance must not grow with the 2L sublayers. Source: Radford et al. 2019.
  [[nodiscard]] Initializer residual() const {
    return Initializer::normal(decoder_init_std(config_) / std::sqrt(2.0 * static_cast<double>(config_.n_layer)));
  }
  nn::Linear linear(std::string_view name, Index in, Index out, bool bias, const Initializer& init) {
    return nn::Linear::make(list_, full(name), in, out, bias, init, {out});
  }

  ParameterList& list_;
  const ModelConfig& config_;
  const DecoderNames& names_;
  std::string prefix_;
};

}  // namespace

const DecoderNames& decoder_names(Family family) { return family == Family::kLlama ? kLlamaNames : kGpt2Names; }

double decoder_init_std(const ModelConfig& config) {
  if (config.init_std > 0) return config.init_std;
  return config.init == InitKind::kScaled ? 1.0 / std::sqrt(static_cast<double>(config.n_embd)) : kGpt2Std;
}

nn::NormType norm_type(NormLayer norm) { return norm == NormLayer::kRms ? nn::NormType::kRms : nn::NormType::kLayer; }

DecoderBlock make_decoder_block(ParameterList& list, const ModelConfig& config, Index layer) {
  const DecoderNames& names = decoder_names(config.family);
  BlockMaker maker(list, config, fmt::format("{}.{}", names.blocks, layer));
  DecoderBlock block;
  block.norm_1 = maker.norm(names.norm_1);
  block.attention = maker.attention();
  block.norm_2 = maker.norm(names.norm_2);
  block.mlp = maker.feed_forward();
  block.residual_dropout = config.residual_dropout();
  block.first_site = 1 + layer * kSitesPerBlock;
  block.attention.dropout_site = block.first_site;
  return block;
}

}  // namespace minnow
