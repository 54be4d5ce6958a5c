#pragma once
/// @file
/// Makes one optimizer step of a language model: leaves forward and backward, tree sum, clipping, optimizer.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "minnow/config/config.hpp"
#include "minnow/data/batch.hpp"
#include "minnow/models/language_model.hpp"

namespace minnow {

class Profiler;

/// What one step did.
struct StepResult {
  double loss = 0;       ///< nats per counted target, mean over the whole batch
  double grad_norm = 0;  ///< before clipping
  Index counted = 0;     ///< targets that counted
  bool applied = false;  ///< false: the step was skipped and changed nothing
  std::string problem;   ///< why it was skipped: what is not finite, or that nothing counted
};

struct TrainStepOptions {
  OptimizerConfig optimizer;
  Index leaf_sequences = 1;      ///< consecutive rows of the batch that run together; see train.leaf_sequences
  std::uint64_t seed = 1;        ///< of dropout
  Profiler* profiler = nullptr;  ///< takes the time of every operation; null: nobody does
  /// Hears when steps change the number of their threads, and why; may be empty.
  std::function<void(const std::string& text)> on_choice{};
};

/// Owns the flat parameters, the optimizer and the memory plan of the steps. The model must live on.
/// Threads: the bits do not depend on their number, nor on how a batch is cut as long as leaf_sequences is the same.
class TrainStep {
 public:
  TrainStep(LanguageModel& model, const TrainStepOptions& options);
  ~TrainStep();
  TrainStep(const TrainStep&) = delete;
  TrainStep& operator=(const TrainStep&) = delete;

  /// Trains on one batch. A loss or gradient that is not finite, or a batch without counted targets, changes nothing.
  /// @param batch all rows of the step
  /// @param step number of the step, from 0: the counter of dropout
  /// @param stop asked between operations; true abandons the step with nothing changed
  /// @return nothing when it was abandoned
  std::optional<StepResult> run(const Batch& batch, std::int64_t step, double learning_rate,
                                const std::function<bool()>& stop = {});

  /// One tensor of the state by name, as it lies in checkpoints.
  struct NamedTensor {
    std::string name;
    Tensor tensor;  ///< a view: writing to it changes the state
  };
  [[nodiscard]] std::vector<NamedTensor> parameters() const;
  /// @return the optimizer's buffers, KIND.NAME of every parameter: exp_avg.NAME and exp_avg_sq.NAME with AdamW.
  [[nodiscard]] std::vector<NamedTensor> optimizer_state() const;
  /// @return the average of every parameter over the steps, under its name; empty without optimizer.ema_decay.
  [[nodiscard]] std::vector<NamedTensor> averaged_parameters() const;
  /// Begins the average anew at the present weights.
  void restart_average();
  /// Exchanges weights and averages, to look at the model with the latter; call it again before the next step.
  void swap_average();
  /// @return optimizer steps made (skipped ones are none): what schedule and bias corrections count.
  [[nodiscard]] std::int64_t optimizer_steps() const;
  void set_optimizer_steps(std::int64_t steps);
  /// @return threads that steps run on at most: threads(), or 1 when short steps are faster so.
  [[nodiscard]] int threads_used() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace minnow
