#include "minnow/base/beat.hpp"

#include <algorithm>

#include "base/team.hpp"

namespace minnow {
namespace {

// Seconds.
constexpr double kLongestBeat = 0.01;  // from here on the hand-over of chunks weighs nothing
constexpr double kFirstWait = 1, kLongestWait = 8;
constexpr double kTrialsApart = 100;  // times as long as the trial took: at most 1 % of the time

constexpr int kSettle = 1;         // beats behind a change of threads that do not count
constexpr double kBetter = 0.95;   // of the time: worth a change
constexpr double kHopeless = 1.2;  // times as long: the fastest of a few beats ends the trial
constexpr double kDreadful = 3;    // so does one beat
constexpr std::size_t kFewBeats = 2;
constexpr double kOther = 1.15;  // times as long as usual, or the other way round: the work or the machine changed

double seconds_since_start(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

}  // namespace

double BeatSize::median() const {
  std::array<double, kWindow> sorted = times_;
  std::nth_element(sorted.begin(), sorted.begin() + kWindow / 2, sorted.end());
  return sorted[kWindow / 2];
}

double BeatSize::fastest() const {
  const std::size_t known = std::min(count_, kWindow);
  return *std::min_element(times_.begin(), times_.begin() + static_cast<std::ptrdiff_t>(known));
}

void BeatSize::enter(State state, int size) {
  if (size != size_) skip_ = kSettle;
  state_ = state;
  size_ = size;
  count_ = 0;
}

void BeatSize::ended(double now, double seconds, bool undisturbed) {
  if (most_ == 1) return;
  if (!undisturbed) return enter(State::kSteady, chosen_);
  if (skip_ > 0) {
    --skip_;
    if (state_ == State::kTrial && seconds > kDreadful * before_) keep(now);
    return;
  }
  times_[count_++ % kWindow] = seconds;
  switch (state_) {
    case State::kSteady:
      return judge_steady(now);
    case State::kTrial:
      return judge_trial(now);
    case State::kConfirm:
      return judge_confirm(now);
  }
}

void BeatSize::judge_steady(double now) {
  if (!full()) return;
  before_ = median();
  if (usual_ == 0) usual_ = before_;
  if (before_ > kOther * usual_ || usual_ > kOther * before_) {
    usual_ = before_;
    wait_ = kFirstWait;
    next_trial_ = last_end_ + std::max(wait_, kTrialsApart * trial_took_);
  }
  if (now < next_trial_ || (chosen_ == most_ && before_ > kLongestBeat)) return;
  trial_began_ = now;
  enter(State::kTrial, other());
}

void BeatSize::judge_trial(double now) {
  if (count_ >= kFewBeats && fastest() > kHopeless * before_) return keep(now);
  if (!full()) return;
  during_ = median();
  if (during_ >= kBetter * before_) return keep(now);
  enter(State::kConfirm, chosen_);
}

void BeatSize::judge_confirm(double now) {
  if (!full()) return;
  if (during_ < kBetter * median()) {
    chosen_ = other();
    ++changes_;
    wait_ = 0;
    trial_began_ = now;  // it was of use
  }
  keep(now);
}

void BeatSize::keep(double now) {
  last_end_ = now;
  trial_took_ = now - trial_began_;
  wait_ = std::clamp(2 * wait_, kFirstWait, kLongestWait);
  next_trial_ = now + std::max(wait_, kTrialsApart * trial_took_);
  usual_ = 0;
  enter(State::kSteady, chosen_);
}

BeatScope::BeatScope(BeatSize& size) : size_(size) {
  Team& team = Team::instance();
  if (size.most() != team.most()) size = BeatSize(team.most());
  counts_ = team.report().size == team.most();
  before_ = Team::set_limit(size.size());
  begin_ = std::chrono::steady_clock::now();
}

BeatScope::~BeatScope() {
  const auto end = std::chrono::steady_clock::now();
  Team& team = Team::instance();
  Team::set_limit(before_);
  const bool undisturbed = counts_ && team.report().size == team.most();
  size_.ended(seconds_since_start(end), std::chrono::duration<double>(end - begin_).count(), undisturbed);
}

}  // namespace minnow
