#include "base/team_size.hpp"

#include <algorithm>
#include <cmath>

namespace minnow {
namespace {

// Seconds.
constexpr double kJudgeAll = 0.1;  // several time slices of the system, which are about 3 ms
constexpr double kJudgeTrial = 0.1;
constexpr double kFirstProbe = 0.2, kBetweenProbes = 0.8;  // what others do is often over soon; each probe waits longer
constexpr double kProbe = 0.03;  // under 4 % of the time, and not lost: the added threads work when they can
constexpr double kFirstHold = 2, kLongestHold = 32;
constexpr double kLargestShare = 0.99;
constexpr double kLeastRunning = 0.005;  // below it a share says nothing

// In busy threads of other programs.
constexpr double kBusy = 0.35;  // from here on the team becomes smaller
constexpr double kFree = 0.2;   // up to here all threads take part again

constexpr double kOverloaded = 0.25;  // share of waiting in waiting and running together, of a team made smaller

}  // namespace

TeamSize::TeamSize(int most, int processors)
    : most_(most), processors_(processors), size_(most), fewer_(most), hold_(kFirstHold) {}

void TeamSize::enter(State state, int size, double now) {
  state_ = state;
  size_ = size;
  since_ = now;
  ran_ = waited_ = 0;
}

double TeamSize::others(double share) const {
  // All that want to run are most + others; the processors give each processors / (most + others).
  const double wanting = processors_ / (1 - std::min(share, kLargestShare));
  return std::max(0.0, wanting - most_);
}

void TeamSize::retreat(State state, double now, double others) {
  fewer_ = std::clamp(processors_ - static_cast<int>(std::lround(others)), 1, most_ - 1);
  enter(state, fewer_, now);
}

void TeamSize::look(double now, double ran, double waited) {
  if (!adapts()) return;
  if (since_ < 0) return enter(State::kAll, most_, now);
  ran_ += ran;
  waited_ += waited;
  if (ran_ + waited_ < kLeastRunning) return;
  const double share = waited_ / (ran_ + waited_);
  switch (state_) {
    case State::kAll:
      return judge_all(now, share);
    case State::kTrial:
      return judge_trial(now, share);
    case State::kFewer:
      return judge_fewer(now, share);
    case State::kProbe:
      return judge_probe(now, share);
  }
}

void TeamSize::judge_all(double now, double share) {
  if (now - since_ < kJudgeAll) return;
  const double busy = others(share);
  if (busy >= kBusy && now >= hold_until_) return retreat(State::kTrial, now, busy);
  if (busy <= kFree) hold_ = kFirstHold;
  enter(State::kAll, most_, now);
}

void TeamSize::give_up(double now) {
  hold_until_ = now + hold_;
  hold_ = std::min(2 * hold_, kLongestHold);
  enter(State::kAll, most_, now);
}

void TeamSize::judge_trial(double now, double share) {
  if (now - since_ < kJudgeTrial) return;
  if (share > kOverloaded) return give_up(now);
  ++retreats_;
  until_probe_ = kFirstProbe;
  enter(State::kFewer, fewer_, now);
}

void TeamSize::judge_fewer(double now, double share) {
  if (now - since_ < until_probe_) return;
  until_probe_ = std::min(2 * until_probe_, kBetweenProbes);
  if (share > kOverloaded) return give_up(now);
  enter(State::kProbe, most_, now);
}

void TeamSize::judge_probe(double now, double share) {
  if (now - since_ < kProbe) return;
  const double busy = others(share);
  if (busy <= kFree) return enter(State::kAll, most_, now);
  retreat(State::kFewer, now, busy);
}

}  // namespace minnow
