#pragma once
/// @file
/// GPT-2: embedding and positions, L blocks of causal self-attention and MLP with residual connections, norm, head.

#include <memory>
#include <vector>

#include "minnow/config/config.hpp"
#include "minnow/models/language_model.hpp"
#include "minnow/nn/layers.hpp"

namespace minnow {

/// One block. Pre-norm: x += attn(ln_1(x)); x += mlp(ln_2(x)). Post-norm: x = ln_1(x + attn(x)); x = ln_2(x + mlp(x)).
struct Gpt2Block {
  nn::LayerNorm ln_1, ln_2;
  nn::Linear c_attn;      ///< (3C, C): q, then k, then v
  nn::Linear c_proj;      ///< (C, C)
  nn::Linear c_fc;        ///< (F, C)
  nn::Linear mlp_c_proj;  ///< (C, F)
  Index n_head = 1;
  kernels::Activation activation = kernels::Activation::kGeluTanh;
  double attention_dropout = 0, residual_dropout = 0;
  Index first_site = 0;  ///< number of this block's first dropout site

  /// @param y (B, T, C): normed input. @return (B, T, C): what attention adds to the stream.
  [[nodiscard]] Tensor attend(const Tensor& y, const ForwardMode& mode) const;
  /// As attend, for N further positions behind those in the cache of layer `layer`.
  [[nodiscard]] Tensor attend_cached(const Tensor& y, KeyValueCache& cache, Index layer) const;
  /// @param y (B, T, C): normed input. @return (B, T, C): what the MLP adds to the stream.
  [[nodiscard]] Tensor feed_forward(const Tensor& y, const ForwardMode& mode) const;
  /// The whole pre-norm block. @param x (B, T, C) @return (B, T, C)
  [[nodiscard]] Tensor pre_norm(const Tensor& x, const ForwardMode& mode) const;
  /// The whole post-norm block. @param x (B, T, C) @return (B, T, C)
  [[nodiscard]] Tensor post_norm(const Tensor& x, const ForwardMode& mode) const;
};

/// The model. Parameters have the names of Hugging Face's GPT2LMHeadModel; every matrix is (out, in), while a file of
/// Hugging Face holds c_attn, c_proj and c_fc transposed.
/// Source: Radford et al. 2019, Language Models are Unsupervised Multitask Learners.
class Gpt2 final : public LanguageModel {
 public:
  /// Throws: ConfigError for sizes that do not fit together.
  Gpt2(const ModelConfig& config, Index vocab_size, DType dtype = DType::f32);

  ParameterList& parameters() override { return parameters_; }
  Index vocab_size() const override { return vocab_size_; }
  Index block_size() const override { return config_.block_size; }
  bool positions_go_on() const override { return config_.position == PositionKind::kSinusoidal; }
  Tensor loss(const Tensor& tokens, const Tensor& targets, double divisor, const ForwardMode& mode) override;
  Tensor token_losses(const Tensor& tokens, const Tensor& targets, const ForwardMode& mode) override;
  Tensor logits(const Tensor& tokens, const ForwardMode& mode) override;
  KeyValueCache make_cache(Index batch, Index capacity) const override;
  Tensor decode(const Tensor& tokens, KeyValueCache& cache) override;

 private:
  [[nodiscard]] Tensor embed(const Tensor& tokens, Index first_position, const ForwardMode& mode);
  [[nodiscard]] Tensor positions(Index first, Index length);
  /// Runs the blocks; `attend(layer, y)` is attention with or without a cache. @return (B, T, C), final norm included.
  template <class Attend>
  Tensor run_blocks(Tensor x, const ForwardMode& mode, Attend&& attend);
  [[nodiscard]] Tensor hidden(const Tensor& tokens, const ForwardMode& mode);
  [[nodiscard]] const Tensor& head_weight() const { return config_.tie_head ? wte_ : head_.weight; }

  ModelConfig config_;
  Index vocab_size_;
  ParameterList parameters_;
  Tensor wte_, wpe_;  // (V, C), (T, C)
  std::vector<Gpt2Block> blocks_;
  nn::LayerNorm ln_f_;  // of pre-norm models
  nn::Linear head_;     // weight undefined when tied
  Tensor sinusoids_;    // (positions so far, C)
};

}  // namespace minnow
