#pragma once
/// @file
/// Says once that a run makes room for another program, and which number of threads its steps found to be faster.

#include <cstdint>
#include <string>

#include "minnow/base/beat.hpp"
#include "minnow/base/parallel.hpp"

namespace minnow {

/// Each time that the team became smaller is one episode; the first few of a run are told.
class TeamNotes {
 public:
  /// @return what to tell after a step; empty: nothing.
  std::string after_step(const TeamReport& team);

 private:
  std::int64_t seen_ = 0;  // retreats of the team
  int told_ = 0;
};

/// Says each time that steps change the number of their threads, and why.
class ChoiceNotes {
 public:
  /// @return what to tell after a step; empty: nothing.
  std::string after_step(const BeatSize& steps);

 private:
  std::int64_t seen_ = 0;  // changes
};

}  // namespace minnow
