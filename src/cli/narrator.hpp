#pragma once
/// @file
/// Shows a person what a training run does: log lines, and a line of progress below them.

#include <chrono>
#include <memory>
#include <string>

#include "cli/evaluation_clock.hpp"
#include "cli/progress.hpp"
#include "minnow/train/trainer.hpp"

namespace minnow::cli {

/// Writes to the log (log.hpp), whose level decides what is seen. The line of progress belongs to level info.
class Narrator final : public TrainObserver {
 public:
  Narrator();
  ~Narrator() override;
  Narrator(const Narrator&) = delete;
  Narrator& operator=(const Narrator&) = delete;

  void on_start(const TrainStart& start) override;
  void on_step(const TrainProgress& now) override;
  void on_evaluation(const EvalProgress& now) override;
  /// It stands below the score of its step, which comes later.
  void on_sample(std::int64_t step, const std::string& text) override;
  void on_checkpoint(std::int64_t step, const std::filesystem::path& directory, bool best) override;
  void on_note(const std::string& text) override;
  void on_detail(const std::string& text) override;
  void on_warning(const std::string& text) override;

  /// Leaves the line of progress as it is.
  void finish();

 private:
  void say_figures(const TrainProgress& now) const;

  using Clock = std::chrono::steady_clock;
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  Clock::time_point begin_ = Clock::now();
  bool color_;
  double rate_ = 0;  // tokens per second
  std::string sample_;
  EvaluationClock evaluations_;
  std::unique_ptr<ProgressLine> line_;
};

}  // namespace minnow::cli
