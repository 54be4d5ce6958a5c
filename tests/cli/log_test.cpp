// Lines of the log: which are shown, and how they look.
#include "cli/log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "cli/terminal.hpp"

namespace minnow::cli {
namespace {

using testing::ElementsAre;
using testing::MatchesRegex;

class LogTest : public testing::Test {
 protected:
  void SetUp() override {
    set_log_writer([this](std::string_view line) { lines_.emplace_back(line); });
  }
  void TearDown() override {
    set_log_writer({});
    set_log_level(LogLevel::kInfo);
  }
  void say_all() {
    log_line(LogLevel::kTrace, "a step");
    log_line(LogLevel::kDebug, "saved");
    log_line(LogLevel::kInfo, "100% of {}");
    print_warning("odd");
    print_error("wrong");
  }
  std::vector<std::string> lines_;
};

TEST_F(LogTest, PlainLinesAreForPeople) {
  set_log_level(LogLevel::kInfo);
  say_all();
  EXPECT_THAT(lines_, ElementsAre("100% of {}", "minnow: warning: odd", "minnow: error: wrong"));
}

TEST_F(LogTest, QuietKeepsWarnings) {
  use_log_level("debug", true);
  say_all();
  EXPECT_THAT(lines_, ElementsAre("minnow: warning: odd", "minnow: error: wrong"));
  EXPECT_FALSE(log_shows(LogLevel::kInfo));
  EXPECT_TRUE(log_shows(LogLevel::kWarning));
}

TEST_F(LogTest, ErrorsAloneAndErrorsAlways) {
  use_log_level("error");
  say_all();
  EXPECT_THAT(lines_, ElementsAre("minnow: error: wrong"));
}

TEST_F(LogTest, DetailedLinesBeginWithTimeAndLevel) {
  const std::string time = "[0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9] ";
  use_log_level("debug");
  say_all();
  EXPECT_THAT(lines_, ElementsAre(MatchesRegex(time + "debug   saved"), MatchesRegex(time + "info    100% of .}"),
                                  MatchesRegex(time + "warning odd"), MatchesRegex(time + "error   wrong")));
  lines_.clear();
  use_log_level("trace");
  say_all();
  EXPECT_EQ(lines_.size(), 5U);
}

TEST_F(LogTest, WarningsCannotCommandATerminal) {
  print_warning("a\x1b[2Jb");
  EXPECT_THAT(lines_, ElementsAre("minnow: warning: a\\x1b[2Jb"));
}

}  // namespace
}  // namespace minnow::cli
