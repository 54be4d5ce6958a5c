#pragma once
/// @file
/// Finds out whether repeated short work goes faster on all threads or on one, and does it so.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace minnow {

/// Decides from the times of a work's repetitions ("beats"). Handing chunks to other threads costs what a cache line
/// takes from one processor to the next; where that is long and the loops are short, one thread is faster, and nobody
/// waits that TeamSize could see. Now and then a few beats run the other way. When their median is shorter than those
/// before and behind them, it stays so. Trials come soon after a change, else ever more rarely; those that were of no
/// use take at most 1 % of the time. Decisions/0011-a-team-of-our-own.md has the figures.
class BeatSize {
 public:
  /// @param most threads of the whole team; with one there is nothing to choose
  explicit BeatSize(int most) : most_(most), size_(most), chosen_(most) {}

  [[nodiscard]] int most() const { return most_; }
  /// Threads for the next beat: one or all.
  [[nodiscard]] int size() const { return size_; }
  /// What was chosen; size() is the other one during a trial.
  [[nodiscard]] int chosen() const { return chosen_; }
  /// How often the choice changed.
  [[nodiscard]] std::int64_t changes() const { return changes_; }
  /// Seconds of a beat, before the newest trial and in it: medians.
  [[nodiscard]] double before_trial() const { return before_; }
  [[nodiscard]] double in_trial() const { return during_; }

  /// Tells how long a beat took, and decides.
  /// @param now seconds of any steady clock, at its end
  /// @param seconds that it took
  /// @param undisturbed false when the team made room for another program meanwhile: such times say nothing
  void ended(double now, double seconds, bool undisturbed);

 private:
  enum class State { kSteady, kTrial, kConfirm };
  static constexpr std::size_t kWindow = 11;  // beats that a median is taken of

  void enter(State state, int size);
  /// Ends a trial.
  void keep(double now);
  void judge_steady(double now);
  void judge_trial(double now);
  void judge_confirm(double now);
  [[nodiscard]] int other() const { return chosen_ == 1 ? most_ : 1; }
  [[nodiscard]] bool full() const { return count_ >= kWindow; }
  [[nodiscard]] double median() const;
  [[nodiscard]] double fastest() const;

  int most_, size_, chosen_;
  State state_ = State::kSteady;
  int skip_ = 3;                         // beats that do not count: memory is planned, caches are cold
  std::array<double, kWindow> times_{};  // of the newest beats of this state
  std::size_t count_ = 0;
  double usual_ = 0;                // the first median after a trial
  double before_ = 0, during_ = 0;  // medians around and in a trial
  double trial_began_ = 0;
  double next_trial_ = 0, wait_ = 0;
  double last_end_ = 0, trial_took_ = 0;
  std::int64_t changes_ = 0;
};

/// Lets the team choose for the work in its scope, and takes the time. Parallel loops of the thread that made it use
/// size.size() threads at most.
class BeatScope {
 public:
  explicit BeatScope(BeatSize& size);
  ~BeatScope();
  /// The time says nothing: the work ended early.
  void forget() { counts_ = false; }
  BeatScope(const BeatScope&) = delete;
  BeatScope& operator=(const BeatScope&) = delete;

 private:
  BeatSize& size_;
  int before_;
  bool counts_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace minnow
