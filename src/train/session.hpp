#pragma once
/// @file
/// The loop of a training run: steps, and what happens at their ends.

#include <chrono>
#include <memory>
#include <optional>

#include "minnow/io/run_lock.hpp"
#include "minnow/io/run_log.hpp"
#include "minnow/io/tfevents.hpp"
#include "minnow/optim/schedule.hpp"
#include "minnow/train/profile.hpp"
#include "minnow/train/train_step.hpp"
#include "minnow/train/trainer.hpp"
#include "train/team_notes.hpp"
#include "train/train_state.hpp"

namespace minnow {

/// A run that is set up: model, data, state and logs agree with each other.
///
/// The end of a step s runs in a fixed order: checkpoint (when an evaluation follows, so that its death loses nothing),
/// evaluation, sample, log line, checkpoint. `logged_step` in the state says how far this is complete; a resume repeats
/// what is missing, so the logs of any chain of interruptions equal those of a straight run.
class TrainSession {
 public:
  struct Setup {
    TrainOptions options;
    RunLock* lock = nullptr;  ///< on the run directory
    std::unique_ptr<LanguageModel> model;
    std::unique_ptr<TrainStep> step;  ///< holds the model's parameters
    std::optional<Dataset> data;
    TrainState state;
    std::optional<std::int64_t> resumed_step;
    std::string config_text, tokenizer_text;
    double seconds_before = 0;  ///< of training in earlier processes
    Profiler* profiler = nullptr;
  };
  explicit TrainSession(Setup setup);

  TrainResult run();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] const Config& config() const { return setup_.options.config.config; }
  [[nodiscard]] TrainState& state() { return setup_.state; }
  [[nodiscard]] int signal() const;
  [[nodiscard]] bool due(std::int64_t every) const;
  [[nodiscard]] bool evaluates() const;
  [[nodiscard]] bool last_step() const { return setup_.state.step >= config().train.max_steps; }

  /// @return false when a signal came before the step was done.
  bool step_once();
  /// Everything that is due after a step. @return false when a signal came.
  bool finish_step(bool save_before_evaluation);
  bool evaluate_now(bool& improved);
  /// Compares the score with the best, and counts. @return whether it is the best now.
  bool take_score();
  /// @return nothing when a signal came. Observers see it go on behind `before` windows of the same evaluation.
  std::optional<LmScore> score(Index most_windows, Index before, Index total);
  [[nodiscard]] bool stops_early() const;
  /// Writes the sample that is due. @return false when a signal came.
  bool sample_now();
  /// Writes the log line, when it is due, and tells the observer.
  void tell(bool logs);
  void write_log_line();
  /// Before every write: makes sure that the run directory is still ours.
  void keep_lock();
  void save(bool best);
  /// @return what `read` gives. When data cannot be read any more, all that was learned is saved before that is said.
  template <class Read>
  auto or_save(Read read);
  TrainProgress progress() const;
  std::optional<TrainResult> reason_to_stop();
  TrainResult result(StopReason reason, int exit_code, std::string message);

  Setup setup_;
  Schedule schedule_;
  MetricsLog metrics_;
  SamplesLog samples_;
  EventsLog events_;
  std::optional<LmScore> score_;        ///< of the step that just ended
  std::optional<LmScore> final_score_;  ///< the same over the whole split, where training ends and score_ is of a part
  double seconds_ = 0;                  ///< of training in this process
  double interval_seconds_ = 0;         ///< since the last log line
  std::int64_t interval_tokens_ = 0;
  std::string last_problem_;
  TeamNotes team_notes_;
  Clock::time_point started_ = Clock::now();
};

}  // namespace minnow
