#pragma once
/// @file
/// Decides how many threads take part while other programs use the machine.

#include <cstdint>

namespace minnow {

/// Looks at how long the team's threads were kept waiting for a processor, and counts from it how many busy threads of
/// other programs there are: the team becomes smaller by as many. When the smaller team still waits, the machine is
/// overloaded, and fewer threads only get less of it: back to all, for longer each time. A smaller team tries all
/// threads for a moment once a second. Decisions/0011-a-team-of-our-own.md has the figures.
class TeamSize {
 public:
  /// @param most threads of the whole team
  /// @param processors that this process may use; with fewer than threads the team disturbs itself, and stays as it is
  explicit TeamSize(int most, int processors);

  /// Threads that take part now.
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool adapts() const { return most_ > 1 && most_ <= processors_; }
  /// How often the team became smaller and stayed so.
  [[nodiscard]] std::int64_t retreats() const { return retreats_; }

  /// Tells how things went since the last call, and decides.
  /// @param now seconds of any steady clock
  /// @param ran, waited seconds that the threads taking part ran, or were ready and did not run
  void look(double now, double ran, double waited);

 private:
  enum class State { kAll, kTrial, kFewer, kProbe };

  void enter(State state, int size, double now);
  /// @return busy threads of other programs that explain the share of waiting of all threads.
  [[nodiscard]] double others(double share) const;
  void retreat(State state, double now, double others);
  /// Back to all threads, and no more trials for a while.
  void give_up(double now);
  void judge_all(double now, double share);
  void judge_trial(double now, double share);
  void judge_fewer(double now, double share);
  void judge_probe(double now, double share);

  int most_, processors_;
  int size_, fewer_;
  State state_ = State::kAll;
  double since_ = -1;  // when the state was entered
  double ran_ = 0, waited_ = 0;
  double hold_until_ = -1, hold_;
  double until_probe_ = 0;
  std::int64_t retreats_ = 0;
};

}  // namespace minnow
