/// @file
/// What SIGINT, SIGTERM and SIGHUP do to a verb that looks at stop_signal().

#include "cli/signals.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace minnow::cli {
namespace {

class SignalsDeathTest : public ::testing::Test {
 protected:
  // fork alone would leave the OpenMP library without its threads.
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

void stop_once(int number) {
  install_stop_signals();
  std::raise(number);
  std::_Exit(stop_signal().load() == number ? stop_exit_code() : 1);
}

void stop_twice(int first, int second) {
  install_stop_signals();
  std::raise(first);
  std::raise(second);
  std::_Exit(0);
}

TEST_F(SignalsDeathTest, TheFirstOneAsksToStop) {
  EXPECT_EXIT(stop_once(SIGINT), ::testing::ExitedWithCode(130), "");
  EXPECT_EXIT(stop_once(SIGTERM), ::testing::ExitedWithCode(143), "");
}

TEST_F(SignalsDeathTest, AClosedTerminalAsksToStopAndTwiceIsOnce) {
  EXPECT_EXIT(stop_once(SIGHUP), ::testing::ExitedWithCode(129), "");
  EXPECT_EXIT(stop_twice(SIGHUP, SIGHUP), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(stop_twice(SIGTERM, SIGHUP), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(stop_twice(SIGHUP, SIGTERM), ::testing::ExitedWithCode(143), "second signal");
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);  // as nohup does
        install_stop_signals();
        std::raise(SIGHUP);
        std::_Exit(stop_signal().load());
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(SignalsDeathTest, TheSecondOneLeavesAtOnce) {
  EXPECT_EXIT(stop_twice(SIGINT, SIGINT), ::testing::ExitedWithCode(130), "second signal, leaving at once");
  EXPECT_EXIT(stop_twice(SIGINT, SIGTERM), ::testing::ExitedWithCode(143), "second signal");
}

TEST(Signals, NothingIsAskedAtFirst) {
  EXPECT_EQ(stop_signal().load(), 0);
  EXPECT_EQ(stop_exit_code(), 0);
}

}  // namespace
}  // namespace minnow::cli
