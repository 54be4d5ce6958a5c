#pragma once
/// @file
/// Says before a run what it will take: parameters, memory, disk, time; and what looks like a mistake.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "minnow/config/load.hpp"
#include "minnow/io/memory.hpp"
#include "minnow/text/tokenizer.hpp"
#include "minnow/train/memory.hpp"

namespace minnow {

/// One line of the table "parameters by part".
struct ParameterPart {
  std::string name;  ///< "embedding", "positions", "attention", "mlp", "norms", "head"
  double count;
};

/// How fast this machine trains the model now.
struct PlanSpeed {
  std::int64_t steps = 0;                 ///< that were timed, after a first one
  double seconds_per_step = 0;            ///< median
  double tokens_per_s = 0;                ///< counted targets of a step over that time
  double seconds_per_evaluation = 0;      ///< of eval.max_windows, from the first batches; 0 without a validation split
  double seconds_of_last_evaluation = 0;  ///< at the end of training: of the whole split, and of these windows
};

/// Something that looks like a mistake, or that a person will want to know before.
struct PlanWarning {
  std::string key;  ///< the setting to look at first
  std::string text;
};

struct TrainPlan {
  std::vector<ParameterPart> parts;
  double parameters = 0;
  std::int64_t vocab_size = 0, block_size = 0, train_tokens = 0, val_tokens = 0;

  MemoryEstimate memory;
  AvailableMemory available;
  /// @return whether training would be allowed to begin.
  [[nodiscard]] bool memory_fits() const;

  double checkpoint_bytes = 0;
  bool checkpoint_exact = false;  ///< counted with the run's own files, but for the digits of state.json; else from
                                  ///< the number of parameters
  std::int64_t checkpoints = 0;   ///< on the disk at once at most, the one that is being written included
  double disk_bytes = 0;          ///< of these, those that are there already left out
  std::uint64_t disk_free = 0;

  std::int64_t steps_done = 0, max_steps = 0;
  double tokens_per_step = 0;  ///< counted targets, mean
  double tokens = 0;           ///< of the whole run
  double tokens_per_parameter = 0;
  double epochs = 0;  ///< passes over the training split
  std::int64_t evaluations_left = 0;

  std::string exports_as;   ///< class of transformers that the model can be exported to; empty: none
  std::string why_not_out;  ///< why none

  std::optional<PlanSpeed> speed;              ///< nothing where it was not measured
  double seconds_total = 0, seconds_left = 0;  ///< with evaluations; 0 without `speed`
  std::vector<PlanWarning> warnings;
};

struct PlanOptions {
  LoadedConfig config;
  std::filesystem::path run_dir;                 ///< where it would run: for the disk, and for what is there already
  std::shared_ptr<const Tokenizer> tokenizer{};  ///< in place of the one that the configuration makes; may be null
  double measure_seconds = 5;                    ///< about as long steps are timed; 0 = not at all
  std::function<bool()> interrupted;             ///< true ends the measurement early
};

/// Reads the data, makes real steps in memory for some seconds, and forgets them. Writes nothing.
/// A model that does not fit into the memory is planned without being made or timed.
/// Throws: as train() for what would refuse the run: ConfigError, DataError, IoError.
[[nodiscard]] TrainPlan make_plan(const PlanOptions& options);

/// @return the parameters of a model by part, without making it; they add up to count_parameters().
[[nodiscard]] std::vector<ParameterPart> parameter_parts(const ModelConfig& config, std::int64_t vocab_size);

/// Tokens per parameter at which a budget of computation is best spent on a language model.
/// Source: Hoffmann et al. 2022, Training Compute-Optimal Large Language Models, table 3 (about 20 at all sizes).
inline constexpr double kBestTokensPerParameter = 20;

/// Largest and smallest learning rate that is usual for an optimizer at a model's width.
struct UsualRates {
  double low, high;
};
/// Rates of Adam and its like fall with the width: those of GPT-3's sizes are about 0.4 / C (768: 6e-4, 2048: 2e-4).
/// Source: Brown et al. 2020, table 2.1; Chen et al. 2023 for Lion (a third to a tenth of AdamW's).
[[nodiscard]] UsualRates usual_rates(const OptimizerConfig& optimizer, std::int64_t width);

}  // namespace minnow
