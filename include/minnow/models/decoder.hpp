#pragma once
/// @file
/// The causal transformers of the families gpt2 and llama: embedding, L blocks, norm, head.

#include <memory>
#include <string_view>
#include <vector>

#include "minnow/config/config.hpp"
#include "minnow/models/decoder_block.hpp"
#include "minnow/models/language_model.hpp"

namespace minnow {

/// The model. The family decides the names of the parameters (those of Hugging Face's GPT2LMHeadModel and
/// LlamaForCausalLM); every part (norm, positions, activation, heads, biases) is taken from the configuration. Every
/// matrix is (out, in), while a file of Hugging Face's GPT-2 holds c_attn, c_proj and c_fc transposed.
/// Source: Radford et al. 2019, Language Models are Unsupervised Multitask Learners; Touvron et al. 2023, LLaMA.
class Decoder final : public LanguageModel {
 public:
  /// Throws: ConfigError for sizes that do not fit together.
  Decoder(const ModelConfig& config, Index vocab_size, DType dtype = DType::f32);

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
  /// @return (T, C): what is added to the embedding at these positions, or an undefined tensor.
  [[nodiscard]] Tensor positions(Index first, Index length);
  /// @return (T, R): the angles of these positions, or an undefined tensor.
  [[nodiscard]] Tensor angles(Index first, Index length);
  /// Runs the blocks; `attend(layer, y)` is attention with or without a cache. @return (B, T, C), final norm included.
  template <class Attend>
  Tensor run_blocks(Tensor x, const ForwardMode& mode, Attend&& attend);
  /// The same for tokens of sequences that follow each other. @return (1, N, C); (N, R)
  [[nodiscard]] Tensor positions_of(const Sequences& sequences);
  [[nodiscard]] Tensor angles_of(const Sequences& sequences);
  [[nodiscard]] Tensor hidden(const Tensor& tokens, const ForwardMode& mode);
  [[nodiscard]] const Tensor& head_weight() const { return config_.tie_head ? embedding_ : head_.weight; }

  ModelConfig config_;
  Index vocab_size_;
  ParameterList parameters_;
  Tensor embedding_, position_table_;  // (V, C), (T, C)
  std::vector<DecoderBlock> blocks_;
  nn::Norm final_norm_;  // of pre-norm models
  nn::Linear head_;      // weight undefined when tied
  Tensor sinusoids_;     // (positions so far, C)
  Tensor angles_;        // (positions so far, R)
};

/// @return the name of the embedding's matrix (V, C) in checkpoints of a family.
[[nodiscard]] std::string_view embedding_name(Family family);
/// @return the name of the learned table of positions (T, C).
[[nodiscard]] std::string_view positions_name(Family family);

}  // namespace minnow
