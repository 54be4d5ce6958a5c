#pragma once
/// @file
/// Estimates how long the evaluations of a training run will still take.

#include <algorithm>
#include <cstdint>

#include "minnow/train/trainer.hpp"

namespace minnow::cli {

/// Knows when evaluations come and how long the last one took. Seconds are those of any clock that never goes back.
class EvaluationClock {
 public:
  EvaluationClock() = default;
  explicit EvaluationClock(const TrainStart& start)
      : every_(start.eval_windows > 0 ? start.eval_every_steps : -1),
        max_steps_(start.max_steps),
        windows_(start.eval_windows),
        final_windows_(std::max(start.eval_windows, start.final_windows)) {}

  /// Hears how far an evaluation is. @return seconds that it and those after it will take, 0 if unknown.
  double during(const EvalProgress& progress, double now) {
    if (progress.done == 0 || began_ < 0) began_ = now;
    if (progress.done > 0 && now > began_) {
      per_window_ = (now - began_) / static_cast<double>(progress.done);
      seconds_ = per_window_ * static_cast<double>(progress.total);
    }
    return per_window_ * static_cast<double>(progress.total - progress.done) + after(progress.step);
  }

  /// @return seconds of the evaluations that come after those of `step`, 0 if unknown.
  [[nodiscard]] double after(std::int64_t step) const {
    const std::int64_t count = count_after(step);
    return count == 0 ? 0 : per_window_ * static_cast<double>((count - 1) * windows_ + final_windows_);
  }

  /// @return how many evaluations come after step `step`: each multiple of eval.every_steps, and the last step.
  [[nodiscard]] std::int64_t count_after(std::int64_t step) const {
    if (every_ < 0 || step >= max_steps_) return 0;
    if (every_ == 0) return 1;
    return max_steps_ / every_ - step / every_ + (max_steps_ % every_ == 0 ? 0 : 1);
  }

  /// @return seconds that the present evaluation takes in all, 0 if unknown.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  std::int64_t every_ = -1;  // negative: there are none
  std::int64_t max_steps_ = 0;
  std::int64_t windows_ = 0, final_windows_ = 0;
  double began_ = -1;
  double seconds_ = 0, per_window_ = 0;
};

}  // namespace minnow::cli
