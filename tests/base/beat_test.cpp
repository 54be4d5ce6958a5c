// Whether short work runs on all threads or on one, by the times of its repetitions.
#include "minnow/base/beat.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <future>
#include <thread>
#include <utility>

#include "minnow/base/parallel.hpp"
#include "minnow/base/philox.hpp"

namespace minnow {
namespace {

/// Work that takes `all` seconds on all threads and `one` on one, with noise.
struct Work {
  double all, one;
  double noise = 0.03;  // share that a beat takes longer, at most
};

class Drummer {
 public:
  explicit Drummer(int threads) : size(threads) {}

  void pass(double seconds, const Work& work, bool undisturbed = true) {
    const double end = now_ + seconds;
    while (now_ < end) {
      const double fair = size.size() == 1 ? work.one : work.all;
      const auto dice = static_cast<double>(random_below(RandomKey{.seed = 1, .stream = 1}, beats_++, 1000)) / 1000;
      const double took = fair * (1 + work.noise * dice);
      now_ += took;
      lost_ += took - std::min(work.all, work.one) * (1 + work.noise * dice);
      size.ended(now_, took, undisturbed);
    }
  }
  /// @return seconds more than the faster way would have taken, since the last call.
  double lost() { return std::exchange(lost_, 0); }

 private:
  double now_ = 1000, lost_ = 0;
  std::uint64_t beats_ = 0;

 public:
  BeatSize size;
};

constexpr Work kGainful{.all = 0.0007, .one = 0.0012};  // more threads are faster
constexpr Work kLossy{.all = 0.0014, .one = 0.0012};

TEST(Beat, StaysWithAllThreadsThatPay) {
  Drummer drummer(2);
  drummer.pass(0.1, kGainful);
  drummer.lost();
  drummer.pass(60, kGainful);
  EXPECT_EQ(drummer.size.chosen(), 2);
  EXPECT_EQ(drummer.size.changes(), 0);
  EXPECT_LT(drummer.lost(), 0.002 * 60);
}

TEST(Beat, TakesOneThreadWithinAFewBeats) {
  Drummer drummer(2);
  drummer.pass(45 * kLossy.all, kLossy);
  EXPECT_EQ(drummer.size.chosen(), 1);
  drummer.lost();
  drummer.pass(60, kLossy);
  EXPECT_EQ(drummer.size.changes(), 1);
  EXPECT_LT(drummer.lost(), 0.005 * 60);
}

TEST(Beat, FollowsTheMachine) {
  Drummer drummer(2);
  drummer.pass(20, kGainful);
  drummer.pass(2, kLossy);
  EXPECT_EQ(drummer.size.chosen(), 1) << "the time of a beat changed: a trial soon";
  drummer.pass(20, kLossy);
  drummer.pass(10, kGainful);
  EXPECT_EQ(drummer.size.chosen(), 2) << "the time of one thread did not change: a trial by and by";
  EXPECT_EQ(drummer.size.changes(), 2);
}

TEST(Beat, IsNotMovedByNoise) {
  Drummer drummer(2);
  drummer.pass(120, {.all = 0.0010, .one = 0.0011, .noise = 0.3});
  EXPECT_EQ(drummer.size.chosen(), 2);
  EXPECT_LE(drummer.size.changes(), 2);
  EXPECT_LT(drummer.lost(), 0.01 * 120);
  Drummer equal(2);
  equal.pass(120, {.all = 0.001, .one = 0.001, .noise = 0.3});
  EXPECT_LE(equal.size.changes(), 6);
}

TEST(Beat, LeavesLongBeatsAlone) {
  Drummer drummer(2);
  drummer.pass(60, {.all = 0.02, .one = 0.015});
  EXPECT_EQ(drummer.size.size(), 2);
  EXPECT_EQ(drummer.size.changes(), 0);
}

TEST(Beat, CostsLittleWithManyThreads) {
  Drummer drummer(64);
  drummer.pass(120, {.all = 0.009, .one = 0.4});
  EXPECT_EQ(drummer.size.chosen(), 64);
  EXPECT_LT(drummer.lost(), 0.02 * 120);
}

TEST(Beat, DecidesNothingBesideAnotherProgram) {
  Drummer drummer(2);
  drummer.pass(10, kLossy, false);
  EXPECT_EQ(drummer.size.size(), 2);
  drummer.pass(1, kLossy);
  EXPECT_EQ(drummer.size.size(), 1);
  drummer.pass(10, kGainful, false);
  EXPECT_EQ(drummer.size.size(), 1);
}

TEST(Beat, HasNothingToChooseWithOneThread) {
  Drummer drummer(1);
  drummer.pass(1, kLossy);
  EXPECT_EQ(drummer.size.size(), 1);
  EXPECT_EQ(drummer.size.changes(), 0);
}

/// @return whether a loop of many chunks ran on one thread.
bool runs_alone() {
  int most = 0;
  std::array<int, 64> who{};
  for (int i = 0; i < 50; ++i) {
    parallel_chunks(std::ssize(who), [&](Index chunk) {
      volatile double sum = 0;
      for (int j = 0; j < 20000; ++j) sum = sum + j;
      who[static_cast<std::size_t>(chunk)] = thread_number();
    });
    most = std::max(most, *std::max_element(who.begin(), who.end()));
  }
  return most == 0;
}

/// @return times of which one thread was the better choice.
BeatSize one_is_faster() {
  BeatSize size(2);
  for (double now = 1000; size.chosen() == 2 && now < 1010; now += 0.001) {
    size.ended(now, size.size() == 1 ? 0.001 : 0.002, true);
  }
  return size;
}

TEST(Beat, LimitsTheLoopsOfItsScope) {
  const int before = threads();
  set_threads(2);
  BeatSize size = one_is_faster();
  ASSERT_EQ(size.size(), 1);
  {
    const BeatScope beat(size);
    EXPECT_TRUE(runs_alone());
  }
  EXPECT_FALSE(runs_alone()) << "outside of it all take part";
  set_threads(3);
  { const BeatScope beat(size); }
  EXPECT_EQ(size.most(), 3) << "another team: all begins anew";
  set_threads(before);
}

/// Two threads train at once: the scopes of both end in any order, and neither may leave its limit behind.
TEST(Beat, LimitsNobodyElsesLoops) {
  const int before = threads();
  set_threads(2);
  BeatSize mine = one_is_faster();
  BeatSize theirs = mine;
  std::promise<void> begun, asked;
  std::thread other([&] {
    const BeatScope beat(theirs);
    begun.set_value();
    asked.get_future().wait();
  });
  begun.get_future().wait();
  EXPECT_FALSE(runs_alone()) << "the scope of another thread";
  {
    const BeatScope beat(mine);
    asked.set_value();
    other.join();
    EXPECT_TRUE(runs_alone()) << "the other scope has ended, this one has not";
  }
  EXPECT_FALSE(runs_alone());
  set_threads(before);
}

}  // namespace
}  // namespace minnow
