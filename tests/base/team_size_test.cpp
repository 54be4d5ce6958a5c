// How many threads take part while other programs want the processors.
#include "base/team_size.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace minnow {
namespace {

/// A machine with a fair scheduler: all that want to run get equal parts.
class Machine {
 public:
  Machine(int processors, int threads) : processors_(processors), team(threads, processors) {}

  /// Lets time pass, a look every 10 ms.
  void pass(double seconds, double others) {
    const double end = now_ + seconds;
    while (now_ < end) {
      constexpr double kLook = 0.01;
      now_ += kLook;
      const double wanting = team.size() + others;
      const double ran = kLook * team.size() * std::min(1.0, processors_ / wanting);
      team.look(now_, ran, kLook * team.size() - ran);
      full_seconds_ += team.size() == most_ ? kLook : 0;
    }
  }
  /// @return seconds in which all threads took part.
  [[nodiscard]] double full_seconds() const { return full_seconds_; }

 private:
  double processors_, now_ = 100, full_seconds_ = 0;

 public:
  TeamSize team;

 private:
  int most_ = team.size();
};

TEST(TeamSize, MakesRoomForOneBusyProgram) {
  Machine machine(2, 2);
  machine.pass(5, 0);
  EXPECT_EQ(machine.team.size(), 2);
  EXPECT_EQ(machine.team.retreats(), 0);
  machine.pass(0.25, 1);
  EXPECT_EQ(machine.team.size(), 1);
  const double before = machine.full_seconds();
  machine.pass(20, 1);
  EXPECT_EQ(machine.team.retreats(), 1) << "probes are part of one retreat";
  EXPECT_LT(machine.full_seconds() - before, 0.06 * 20);
}

TEST(TeamSize, ComesBackWithinASecond) {
  Machine machine(2, 2);
  machine.pass(1, 0);
  machine.pass(10, 1);
  machine.pass(1, 0);
  EXPECT_EQ(machine.team.size(), 2);
  const double before = machine.full_seconds();
  machine.pass(5, 0);
  EXPECT_NEAR(machine.full_seconds() - before, 5, 0.1);
}

TEST(TeamSize, MakesRoomForAsManyAsThereAre) {
  Machine machine(16, 16);
  machine.pass(1, 0);
  machine.pass(1, 4);
  EXPECT_GE(machine.team.size(), 11);
  EXPECT_LE(machine.team.size(), 12);
  machine.pass(3, 0);
  EXPECT_EQ(machine.team.size(), 16);
}

TEST(TeamSize, KeepsItsPartOfAnOverloadedMachine) {
  Machine machine(2, 2);
  machine.pass(1, 0);
  const double before = machine.full_seconds();
  machine.pass(60, 6);  // one thread alone would wait as well
  EXPECT_GT(machine.full_seconds() - before, 0.95 * 60);
  EXPECT_EQ(machine.team.retreats(), 0);
}

TEST(TeamSize, DoesNotMindWhatComesAndGoes) {
  Machine machine(2, 2);
  machine.pass(1, 0);
  for (int i = 0; i < 200; ++i) {  // a tenth of a processor
    machine.pass(0.01, 1);
    machine.pass(0.09, 0);
  }
  EXPECT_EQ(machine.team.retreats(), 0);
  EXPECT_EQ(machine.team.size(), 2);
}

TEST(TeamSize, StaysWhenThereAreFewerProcessorsThanThreads) {
  Machine machine(2, 3);
  machine.pass(10, 1);
  EXPECT_EQ(machine.team.size(), 3);
  EXPECT_FALSE(machine.team.adapts());
}

TEST(TeamSize, KnowsNothingWithoutWork) {
  TeamSize team(2, 2);
  for (int i = 0; i < 100; ++i) team.look(i, 0, 0);
  EXPECT_EQ(team.size(), 2);
}

}  // namespace
}  // namespace minnow
