#pragma once
/// @file
/// Writes a model as a folder of Hugging Face, which transformers loads with from_pretrained.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "minnow/config/config.hpp"
#include "minnow/text/tokenizer.hpp"

namespace minnow::exchange {

/// One parameter of a model.
struct NamedNumbers {
  std::string name;               ///< minnow's
  std::span<const float> values;  ///< row-major, matrices (out, in)
};

/// What is written.
struct ModelToWrite {
  ModelConfig model;
  std::int64_t vocab_size = 0;
  std::vector<NamedNumbers> parameters;
  const Tokenizer* tokenizer = nullptr;        ///< null: the folder has none
  std::optional<std::int32_t> prompt_start{};  ///< what texts begin with: tokenizer.json says so
  SampleConfig sample;                         ///< how generation_config.json says that it writes
};

/// Writes config.json, model.safetensors, generation_config.json and, with a tokenizer, tokenizer.json and
/// tokenizer_config.json. A tied head is stored once. Biases that GPT2LMHeadModel has and the model does not are zeros;
/// the rows of queries and keys whose rotary pairs are interleaved are put in the order of halves. Numbers are F32.
/// @param folder new, or an empty one
/// @return the names of the files. Throws: ConfigError before anything is written when the class cannot express the
/// model (why_not_foreign) or the folder holds something; IoError.
std::vector<std::string> write_model_folder(const std::filesystem::path& folder, const ModelToWrite& what);

}  // namespace minnow::exchange
