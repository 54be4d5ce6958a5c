#include "minnow/optim/schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace minnow {
namespace {

Schedule schedule(Schedule::Kind kind) {
  return {.kind = kind, .peak = 1e-3, .min = 1e-4, .warmup = 10, .total = 100, .decay = 20, .width = 64};
}

constexpr Schedule::Kind kWarmedUp[] = {Schedule::Kind::kConstant,  Schedule::Kind::kCosine,
                                        Schedule::Kind::kLinear,    Schedule::Kind::kInverseSqrt,
                                        Schedule::Kind::kWsdLinear, Schedule::Kind::kWsdSqrt};

TEST(Schedule, WarmUpStartsAboveZeroAndReachesThePeakBehindItsEnd) {
  for (const Schedule::Kind kind : kWarmedUp) {
    const Schedule s = schedule(kind);
    EXPECT_DOUBLE_EQ(s.at(0), 1e-3 / 11);
    EXPECT_DOUBLE_EQ(s.at(9), 1e-3 * 10 / 11);
    EXPECT_DOUBLE_EQ(s.at(10), 1e-3);
  }
}

TEST(Schedule, WithoutWarmUpTheFirstStepHasThePeak) {
  for (const Schedule::Kind kind : kWarmedUp) {
    Schedule s = schedule(kind);
    s.warmup = 0;
    EXPECT_DOUBLE_EQ(s.at(0), 1e-3);
    EXPECT_TRUE(std::isfinite(s.at(1)));
  }
}

TEST(Schedule, EndsAtTheMinimumAndStaysThere) {
  for (const Schedule::Kind kind :
       {Schedule::Kind::kCosine, Schedule::Kind::kLinear, Schedule::Kind::kWsdLinear, Schedule::Kind::kWsdSqrt}) {
    const Schedule s = schedule(kind);
    EXPECT_GT(s.at(99), 1e-4);
    for (const std::int64_t step : {100, 101, 1000000}) EXPECT_DOUBLE_EQ(s.at(step), 1e-4);
  }
}

TEST(Schedule, NeverRisesBehindTheWarmUp) {
  for (const Schedule::Kind kind : kWarmedUp) {
    const Schedule s = schedule(kind);
    for (std::int64_t step = 10; step < 120; ++step) EXPECT_LE(s.at(step + 1), s.at(step)) << step;
  }
}

TEST(Schedule, HoldsThePeakUntilTheDecayOfWsd) {
  const Schedule linear = schedule(Schedule::Kind::kWsdLinear);
  const Schedule root = schedule(Schedule::Kind::kWsdSqrt);
  EXPECT_DOUBLE_EQ(linear.at(80), 1e-3);
  EXPECT_DOUBLE_EQ(root.at(80), 1e-3);
  EXPECT_DOUBLE_EQ(linear.at(85), 1e-4 + 9e-4 * 0.75);
  EXPECT_DOUBLE_EQ(root.at(85), 1e-4 + 9e-4 * 0.5);
}

TEST(Schedule, FollowsTheFormulasBetween) {
  EXPECT_DOUBLE_EQ(schedule(Schedule::Kind::kConstant).at(5000), 1e-3);
  EXPECT_DOUBLE_EQ(schedule(Schedule::Kind::kLinear).at(55), 5.5e-4);
  EXPECT_DOUBLE_EQ(schedule(Schedule::Kind::kInverseSqrt).at(40), 5e-4);
  const Schedule noam = schedule(Schedule::Kind::kNoam);
  EXPECT_DOUBLE_EQ(noam.at(0), std::pow(10, -1.5) / 8);
  EXPECT_DOUBLE_EQ(noam.at(9), 1 / std::sqrt(10) / 8);  // the peak
  EXPECT_DOUBLE_EQ(noam.at(39), 1 / std::sqrt(40) / 8);
}

TEST(Schedule, AWarmUpAsLongAsTheRunLeavesNothingToDecay) {
  Schedule s = schedule(Schedule::Kind::kCosine);
  s.warmup = s.total = 10;
  EXPECT_DOUBLE_EQ(s.at(9), 1e-3 * 10 / 11);
  EXPECT_DOUBLE_EQ(s.at(10), 1e-4);
}

}  // namespace
}  // namespace minnow
