#pragma once
/// @file
/// Reads the config.json of a Hugging Face folder, and writes one.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "minnow/config/config.hpp"

namespace minnow::exchange {

/// Longest config.json that is looked at, in bytes.
inline constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20U;

/// What a config.json says of the model.
struct ForeignConfig {
  ModelConfig model;         ///< vocab_size is that of the embedding
  std::string architecture;  ///< "GPT2LMHeadModel" or "LlamaForCausalLM"
  bool says_tied = true;     ///< tie_word_embeddings; the weights decide (see model_folder.hpp)
};

/// Everything that changes the model's result is taken over or refused by its name: sizes, activation, epsilon, heads
/// of keys and values, rotary base, biases, dropout, tied head. Keys that change nothing in inference or training
/// (use_cache, initializer_range, transformers_version, torch_dtype: weights are computed in f32 whatever they are
/// stored in) are passed over.
/// @param who the file's name, for messages
/// Throws: CheckpointError naming the key, its value and what minnow has instead.
/// Source: huggingface/transformers, configuration_gpt2.py and configuration_llama.py.
[[nodiscard]] ForeignConfig read_foreign_config(std::string_view text, std::string_view who = "config.json");

/// @return why no GPT2LMHeadModel or LlamaForCausalLM computes what a model of this configuration computes; empty when
/// one does.
[[nodiscard]] std::string why_not_foreign(const ModelConfig& model);

/// @return "GPT2LMHeadModel" or "LlamaForCausalLM": the class that reads the family's tensors.
[[nodiscard]] std::string_view architecture_of(Family family);

/// The ids that begin and end a text, or -1.
struct TextMarks {
  std::int64_t begin = -1, end = -1;
};

/// @return the text of config.json, for old and new versions of transformers and for llama.cpp's converters.
/// Throws: ConfigError with why_not_foreign().
[[nodiscard]] std::string write_foreign_config(const ModelConfig& model, std::int64_t vocab_size, TextMarks marks);

}  // namespace minnow::exchange
