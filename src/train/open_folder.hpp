#pragma once
/// @file
/// Opens a model of Hugging Face as if it were a run.

#include <filesystem>

#include "minnow/train/run.hpp"

namespace minnow {

/// @param folder with a config.json. @return the model at step 0, without data; notes on what config.json and weights
/// contradict in `warnings`.
/// Throws: CheckpointError, MemoryError, IoError.
[[nodiscard]] LoadedRun open_model_folder(const std::filesystem::path& folder);

/// @return the configuration with which a model of a folder goes on: its [model] table, its kind of tokenizer.
[[nodiscard]] Config config_of_folder(const ModelConfig& model, const Tokenizer* tokenizer);

}  // namespace minnow
