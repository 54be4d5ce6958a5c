#pragma once
/// @file
/// Chooses tokenizer, model and training for a text on this machine, and writes them down as a configuration.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "minnow/data/check.hpp"
#include "minnow/train/plan.hpp"

namespace minnow {

/// What is asked for.
struct ProposalOptions {
  std::filesystem::path text;  ///< file or folder, as data.path
  std::string text_field = "text";
  std::string name;                   ///< for the heading
  double minutes = 10;                ///< the training shall take about so long here
  std::string tokenizer = "auto";     ///< "auto", "char", "byte", "bpe", or where a byte-pair encoding lies
  std::int64_t vocab_size = 0;        ///< of byte pairs that are learned; 0: what fits the text
  double measure_seconds = 3;         ///< about as long each timing of steps takes
  std::function<bool()> interrupted;  ///< true ends the work early: the proposal is not whole then
  std::function<void(const std::string&)> report;  ///< hears what is being done
};

/// What was chosen.
struct Proposal {
  std::string toml;                  ///< the configuration with its reasons as comments
  LoadedConfig config;               ///< the same, read
  TrainPlan plan;                    ///< of exactly this configuration, timed
  CheckReport text;                  ///< what the text is, and what is wrong with it
  std::vector<std::string> reasons;  ///< one sentence for each choice
};

/// Looks at the text, times a small model on it, and chooses:
/// - frequent byte strings for texts that are long enough to learn them; for shorter ones and for lists of words
///   characters, where there are few different ones (at most 256) and no ill-formed bytes; else bytes;
/// - documents = lines where all lines are short and different (names, words), files for .jsonl, else a stream;
/// - tokens to train on: what `minutes` allow, but at most 30 passes over the text;
/// - the largest model of a ladder for which these are 20 tokens per parameter, and that fits into the memory;
/// - dropout where the text is read often and the model is not narrow.
/// Throws: IoError and DataError for texts that cannot be read or are too short (with sizes); MemoryError when not even
/// the smallest model fits.
[[nodiscard]] Proposal propose_run(const ProposalOptions& options);

}  // namespace minnow
