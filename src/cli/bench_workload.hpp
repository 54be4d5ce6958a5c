#pragma once
/// @file
/// The models and batches that `minnow bench` measures on.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "minnow/config/config.hpp"
#include "minnow/kernels/gemm.hpp"
#include "minnow/train/train_step.hpp"

namespace minnow::cli {

/// The GPT of a workload: pre-norm, tanh GELU, biases, tied head, no dropout.
struct Workload {
  const char* name;
  std::int64_t batch, length, layers, heads, width, vocabulary;  // B, T, L, H, C, V
  std::int64_t steps;                                            // timed, where nobody says how many
  bool documents = false;  // of unequal length, as first names have: T is the longest, and only real tokens count
};

/// Throws: ConfigError for a name that is none of workload_names().
const Workload& find_workload(const std::string& name);

/// @return the table [model] of a workload.
ModelConfig workload_model(const Workload& work);

/// @return the same model with as many real tokens in rows that are full.
Workload full_rows(const Workload& work);

/// @return B rows of T random tokens and targets, all of which count; of documents, those that they have.
Batch workload_batch(const Workload& work);

/// @return tokens of a step that count.
std::int64_t step_tokens(const Workload& work);

/// @return AdamW as all peers run it: betas 0.9 and 0.99, decay 0.1, clipped to a norm of 1.
OptimizerConfig workload_optimizer();

/// @param precision, gemm names of PrecisionKind and GemmKind, as the command line checked them
ComputeConfig compute_of(const std::string& precision, const std::string& gemm = "auto");

/// @return what matrix products are computed in.
kernels::GemmPrecision gemm_precision(const ComputeConfig& compute);

/// @return floating point operations of a training step: forward and backward take 6 per weight and token (position
/// table excepted), and 12 L C N per token of a row of N tokens for attention.
double step_flops(const Workload& work, std::int64_t parameters);

/// Model, data and optimizer of a workload, ready for steps.
class StepBench {
 public:
  /// @param profiler takes the time of every operation, where there is one
  StepBench(const Workload& work, const ComputeConfig& compute, Profiler* profiler = nullptr);

  /// @return seconds of one step. Documents lie in another order each time.
  /// Throws: NumericError when it did not change the model.
  double step();

  [[nodiscard]] double loss() const { return loss_; }
  [[nodiscard]] int threads_used() const { return step_->threads_used(); }
  [[nodiscard]] std::int64_t parameters() const { return parameters_; }

 private:
  std::unique_ptr<LanguageModel> model_;
  Batch batch_;
  std::int64_t parameters_;
  std::optional<TrainStep> step_;
  std::int64_t steps_ = 0;
  double loss_ = 0;
};

/// How long steps took, in seconds.
struct StepTimes {
  double first = 0;
  double median = 0;  ///< of the timed ones
  std::int64_t timed = 0;
};

/// Runs the first step, two more to warm up, then the timed ones.
/// @param steps 0: as many as the workload says
/// @return nothing when a signal asked to stop.
std::optional<StepTimes> time_steps(StepBench& bench, const Workload& work, std::int64_t steps);

/// How long the steps of two benches took beside each other, in seconds.
struct TurnTimes {
  double first = 0, second = 0;  ///< medians
  double ratio = 0;              ///< first through second: the median over the turns
};

/// Runs some steps of the one, as many of the other, and so on: what the machine does meanwhile meets both. Both have
/// made steps before.
/// @param steps timed ones of each, at least
/// @return nothing when a signal asked to stop.
std::optional<TurnTimes> time_in_turns(StepBench& first, StepBench& second, std::int64_t steps);

}  // namespace minnow::cli
