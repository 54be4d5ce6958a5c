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

}  // namespace
}  // namespace minnow
