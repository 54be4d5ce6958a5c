#pragma once
/// @file
/// Reads the texts of a checkpoint and holds them against each other: right hashes do not make them one run's.

#include <memory>

#include "minnow/config/load.hpp"
#include "minnow/io/checkpoint.hpp"
#include "minnow/text/tokenizer.hpp"
#include "train/train_state.hpp"

namespace minnow {

struct ReadTexts {
  TrainState state;
  LoadedConfig config;
  std::shared_ptr<const Tokenizer> tokenizer;  ///< null: the run has none
};

/// Throws: CheckpointError when a text cannot be read, whatever is wrong with it; when the state's step is not the
/// checkpoint's; when the vocabulary of the tokenizer or the embedding is not the state's.
[[nodiscard]] ReadTexts read_texts(const Checkpoint& checkpoint);

}  // namespace minnow
