#pragma once
/// @file
/// Opens what a training run left on disk, ready to be used.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "minnow/config/config.hpp"
#include "minnow/data/fingerprint.hpp"
#include "minnow/models/language_model.hpp"
#include "minnow/text/tokenizer.hpp"

namespace minnow {

/// Which checkpoint of a run.
struct WhichCheckpoint {
  enum class Kind {
    kBestOrLatest,  ///< the one with the lowest validation loss, or the latest where none is marked
    kBest,
    kLatest,
    kStep,
  } kind = Kind::kBestOrLatest;
  std::int64_t step = 0;  ///< of kStep

  /// @param text "auto", "best", "latest" or a step. Throws: ConfigError.
  static WhichCheckpoint parse(const std::string& text);
};

/// Which weights of a checkpoint.
enum class WhichWeights {
  kAuto,     ///< those with which the run was evaluated: the averages with eval.use_ema
  kTrained,  ///< those of the last step
  kEma,      ///< their average over the steps
};

/// @param text "auto", "trained" or "ema". Throws: ConfigError.
[[nodiscard]] WhichWeights parse_weights(const std::string& text);

/// A trained model with everything needed to use it.
struct LoadedRun {
  std::filesystem::path directory;             ///< of the run
  Config config;                               ///< as it was trained
  std::shared_ptr<const Tokenizer> tokenizer;  ///< null for models of token files without one
  std::string tokenizer_unused;                ///< why the one that lies there is not used; empty: it is, or none does
  std::unique_ptr<LanguageModel> model;        ///< parameters filled
  std::optional<std::int32_t> prompt_start;    ///< id that prompts begin with, as documents did in training
  std::optional<std::int32_t> empty_start;     ///< what an empty prompt begins with
  std::int64_t step = 0;                       ///< of the checkpoint
  std::optional<double> val_loss;              ///< at that step, where it was evaluated
  DataFingerprint data;                        ///< what it was trained on
  std::vector<std::string> warnings;           ///< damaged checkpoints that were skipped
};

/// Opens a run directory (or one checkpoint directory inside it), verifying every byte that is read.
/// Throws: CheckpointError (4) when nothing is there, nothing verifies or it does not fit; IoError (5).
[[nodiscard]] LoadedRun open_run(const std::filesystem::path& directory, const WhichCheckpoint& which = {},
                                 WhichWeights weights = WhichWeights::kAuto);

}  // namespace minnow
