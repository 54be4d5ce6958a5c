// When a run says that it makes room for another program.
#include "train/team_notes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace minnow {
namespace {

TEST(TeamNotes, OncePerEpisodeAndNotForEver) {
  TeamNotes notes;
  EXPECT_EQ(notes.after_step({.most = 4, .size = 4, .retreats = 0}), "");
  EXPECT_EQ(notes.after_step({.most = 4, .size = 3, .retreats = 0}), "") << "a trial that is not decided yet";
  EXPECT_THAT(notes.after_step({.most = 4, .size = 3, .retreats = 1}), testing::HasSubstr("3 of 4 threads"));
  EXPECT_EQ(notes.after_step({.most = 4, .size = 3, .retreats = 1}), "");
  EXPECT_EQ(notes.after_step({.most = 4, .size = 4, .retreats = 1}), "");
  EXPECT_NE(notes.after_step({.most = 4, .size = 2, .retreats = 2}), "");
  EXPECT_NE(notes.after_step({.most = 4, .size = 2, .retreats = 3}), "");
  EXPECT_EQ(notes.after_step({.most = 4, .size = 2, .retreats = 4}), "");
}

/// Lets steps take so long until the choice has changed `changes` times.
void work(BeatSize& size, double& now, double one, double all, std::int64_t changes) {
  while (size.changes() < changes && now < 1100) {
    const double took = size.size() == 1 ? one : all;
    now += took;
    size.ended(now, took, true);
  }
}

TEST(ChoiceNotes, SayOnceWhatWasFasterAndByHowMuch) {
  BeatSize size(4);
  ChoiceNotes notes;
  double now = 1000;
  EXPECT_EQ(notes.after_step(size), "");
  work(size, now, 0.0007, 0.00091, 1);
  EXPECT_EQ(notes.after_step(size), "steps take 0.91 ms with 4 threads and 0.7 ms with one: one is used");
  EXPECT_EQ(notes.after_step(size), "");
  work(size, now, 0.0021, 0.0009, 2);
  EXPECT_EQ(notes.after_step(size), "steps take 0.9 ms with 4 threads and 2.1 ms with one: 4 are used");
  size = BeatSize(2);
  EXPECT_EQ(notes.after_step(size), "") << "another team has chosen nothing yet";
}

}  // namespace
}  // namespace minnow
