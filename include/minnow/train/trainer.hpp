#pragma once
/// @file
/// Trains a model from a configuration, resumes it exactly, and tells an observer what happens.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "minnow/config/load.hpp"
#include "minnow/data/dataset.hpp"
#include "minnow/models/language_model.hpp"
#include "minnow/tasks/language_modeling.hpp"
#include "minnow/text/tokenizer.hpp"
#include "minnow/train/profile.hpp"

namespace minnow {

/// What is known before the first step.
struct TrainStart {
  std::filesystem::path run_dir;
  std::int64_t first_step = 0;  ///< steps already done
  std::int64_t max_steps = 0;
  std::int64_t parameters = 0;
  std::int64_t vocab_size = 0;
  std::int64_t eval_every_steps = 0;  ///< 0 = only after the last step, if there is a validation split
  std::int64_t eval_windows = 0;      ///< windows of one evaluation; 0 = there is no validation split
  std::int64_t final_windows = 0;     ///< windows of the last one: of the part, if there is one, and of the whole split
  std::vector<std::string> data;      ///< lines that describe the data
};

/// One step, as it stands in metrics.jsonl.
struct TrainProgress {
  std::int64_t step = 0;
  std::int64_t max_steps = 0;
  std::int64_t tokens = 0;
  double loss = 0, lr = 0, grad_norm = 0;
  double tokens_per_s = 0;       ///< counted targets of the last steps over their time, evaluations left out
  double seconds = 0;            ///< of training, over all resumes
  bool logged = false;           ///< a line of metrics.jsonl belongs to this step
  std::optional<LmScore> score;  ///< when the step was evaluated: over eval.max_windows
  /// Over the whole split, at the end of training, where `score` is of a part of it.
  std::optional<LmScore> final_score;
};

/// How far an evaluation is.
struct EvalProgress {
  std::int64_t step = 0;             ///< that it belongs to
  std::int64_t done = 0, total = 0;  ///< windows
};

/// Hears what a training run does. The library itself never prints.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void on_start(const TrainStart&) {}
  virtual void on_step(const TrainProgress&) {}
  /// Before each batch of an evaluation, and after the last one (done = total). on_step() of the same step follows.
  virtual void on_evaluation(const EvalProgress&) {}
  virtual void on_sample(std::int64_t step, const std::string& text) { (void)step, (void)text; }
  virtual void on_checkpoint(std::int64_t step, const std::filesystem::path& directory, bool best) {
    (void)step, (void)directory, (void)best;
  }
  /// Something a person should know.
  virtual void on_note(const std::string& text) { (void)text; }
  /// Something for those who want to know exactly.
  virtual void on_detail(const std::string& text) { (void)text; }
  virtual void on_warning(const std::string& text) { (void)text; }
};

/// Why a run ended.
enum class StopReason {
  kFinished,         ///< all steps are done
  kAlreadyFinished,  ///< they were before
  kEarlyStop,        ///< no new best for train.early_stop_evals evaluations
  kTimeLimit,        ///< train.max_minutes are over
  kInterrupted,      ///< a signal came; everything is saved
  kNumeric,          ///< too many steps in a row were not finite
};

/// Writes the text of [sample] with the model as it is after `step`. The data have the tokenizer and what documents
/// begin with.
using TextSampler = std::function<std::string(LanguageModel&, const Dataset&, const SampleConfig&, std::uint64_t seed,
                                              std::int64_t step)>;

struct TrainOptions {
  LoadedConfig config;
  std::filesystem::path run_dir;
  bool resume = false;
  bool overwrite = false;
  bool allow_data_change = false;   ///< resume although the data files changed
  std::filesystem::path init_from;  ///< start from the weights of this run or model folder
  bool exact = false;               ///< refuse to resume where the bits could differ
  /// @return 0, or the exit code (130, 143) of the signal that came. Asked often.
  std::function<int()> interrupted;
  /// Writes the text of [sample]; called with the model after a step. It may return early when `interrupted` says so:
  /// what it returns then is dropped, and a resume samples again.
  TextSampler sampler;
  TrainObserver* observer = nullptr;
  /// Called once when the directory holds this run and nothing is refused any more; not where all was done before.
  std::function<void()> begun{};
  bool profile = false;  ///< take the time of every operation; costs a second at the start and a little in each step
};

struct TrainResult {
  StopReason reason = StopReason::kFinished;
  int exit_code = 0;
  std::int64_t step = 0;
  std::optional<double> val_loss;  ///< of the last evaluation
  std::int64_t val_windows = 0;    ///< that it is of; 0 = the whole split, as at the end of training
  std::optional<double> best_val_loss;
  std::int64_t best_windows = 0;  ///< that it is of, as all with which it was compared; 0 = the whole split
  std::int64_t best_step = 0;
  std::string message;             ///< one line for a person
  std::string state_hash;          ///< SHA-256 of the last checkpoint's weights, optimizer and state
  std::optional<Profile> profile;  ///< with TrainOptions::profile; also in the files kProfileFile and kProfileTable
};

/// One line of what a resume would meet.
struct ResumeFinding {
  std::string what, before, now;
  std::string verdict;  ///< "free", "changes bits" or "refused"

  /// @return one line for a person: "train.max_steps: 100 -> 200 (changes bits)".
  [[nodiscard]] std::string text() const;
};

/// Trains. On return everything is on disk; the last step is always checkpointed.
/// Throws: ConfigError (2), DataError (3), CheckpointError (4), IoError (5), MemoryError (7), BusyError (8).
TrainResult train(const TrainOptions& options);

/// @return the differences between the configuration and data and those of the run's newest checkpoint, with what each
/// means for a resume, under `exact` and `allow_data_change` of the options; one line says so when there is no
/// checkpoint or nothing is left to do; empty when nothing differs.
[[nodiscard]] std::vector<ResumeFinding> compare_with_run(const TrainOptions& options);

/// @return SHA-256 over weights, optimizer and state of one checkpoint, 64 hexadecimal digits; what `verify` compares.
/// Throws: CheckpointError when the manifest is damaged.
[[nodiscard]] std::string state_hash(const std::filesystem::path& checkpoint_directory);

}  // namespace minnow
