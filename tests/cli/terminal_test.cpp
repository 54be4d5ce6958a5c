/// @file
/// What the command line draws: numbers, widths, progress.

#include "cli/terminal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cli/evaluation_clock.hpp"
#include "cli/human.hpp"
#include "cli/progress.hpp"

namespace minnow::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Human, Counts) {
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(human_count(999), "999");
  EXPECT_EQ(human_count(1000), "1.00k");
  EXPECT_EQ(human_count(21345), "21.3k");
  EXPECT_EQ(human_count(999499), "999k");
  EXPECT_EQ(human_count(999500), "1.00M");
  EXPECT_EQ(human_count(804096), "804k");
  EXPECT_EQ(human_count(124.4e6), "124M");
  EXPECT_EQ(human_count(0.5), "0.50");
  EXPECT_EQ(human_count(9.996), "10.0");
  EXPECT_EQ(human_count(-1500), "-1.50k");
  EXPECT_EQ(human_count(std::nan("")), "unknown");
}

TEST(Human, Bytes) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(1048575), "1.0 MiB");
  EXPECT_EQ(human_bytes(UINT64_MAX), "16.0 EiB");
}

TEST(Human, Durations) {
  EXPECT_EQ(human_duration(0.25), "0.25 s");
  EXPECT_EQ(human_duration(0.999), "1.0 s");
  EXPECT_EQ(human_duration(9.96), "10 s");
  EXPECT_EQ(human_duration(59.6), "1 min 00 s");
  EXPECT_EQ(human_duration(185), "3 min 05 s");
  EXPECT_EQ(human_duration(7630), "2 h 07 min");
  EXPECT_EQ(human_duration(3 * 86400 + 4 * 3600), "3 d 04 h");
  EXPECT_EQ(human_duration(-1), "unknown");
  EXPECT_EQ(human_duration(INFINITY), "unknown");
}

TEST(Human, GroupsDigits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1234567), "1'234'567");
  EXPECT_EQ(grouped(-123456), "-123'456");
}

TEST(Terminal, MeasuresAndCutsCharacters) {
  EXPECT_EQ(display_width("caf\xc3\xa9"), 4);
  EXPECT_EQ(display_width("\x1b[31mred\x1b[0m"), 3);
  EXPECT_EQ(cut_to_width("caf\xc3\xa9s", 4), "caf\xc3\xa9");
  EXPECT_EQ(cut_to_width("\x1b[31mred\x1b[0m", 2), "\x1b[31mre\x1b[0m");
  EXPECT_EQ(cut_to_width("short", 10), "short");
}

TEST(Terminal, ColorsOnlyWhenAsked) {
  EXPECT_EQ(styled("a", Style::kRed, false), "a");
  EXPECT_EQ(styled("a", Style::kRed, true), "\x1b[31ma\x1b[0m");
  ASSERT_EQ(::setenv("NO_COLOR", "1", 1), 0);
  EXPECT_FALSE(use_color(1));
  ::unsetenv("NO_COLOR");
}

/// A progress line into a string, on a clock that the test turns.
struct Fixture {
  explicit Fixture(ProgressLine::Setup setup)
      : line(
            std::move(setup), [this](std::string_view text) { out += text; }, [this] { return now; }) {}
  std::string out;
  double now = 100;
  ProgressLine line;
};

ProgressLine::Setup on_terminal(std::int64_t total) {
  ProgressLine::Setup setup;
  setup.total = total;
  setup.terminal = true;
  return setup;
}

TEST(Progress, DrawsBarRateAndTimeLeft) {
  Fixture f(on_terminal(100));
  f.now = 102;
  f.line.update(50, "loss 1.90");
  EXPECT_EQ(f.out, "\r\x1b[Kstep 50/100 [=====     ]  50%  loss 1.90  25 steps/s  2.0 s left");
  EXPECT_DOUBLE_EQ(f.line.seconds_left(), 2.0);
}

TEST(Progress, RedrawsSeldom) {
  Fixture f(on_terminal(1000));
  for (int i = 1; i <= 1000; ++i) {
    f.now += 0.001;
    f.line.update(i, "");
  }
  EXPECT_LE(std::count(f.out.begin(), f.out.end(), '\r'), 11);
}

TEST(Progress, StaysWithinTheTerminal) {
  auto setup = on_terminal(100);
  setup.width = 40;
  Fixture f(setup);
  f.now = 101;
  f.line.update(1, std::string(200, 'x'));
  EXPECT_EQ(display_width(f.out.substr(f.out.find("step"))), 39);
}

TEST(Progress, ShowsTheTimeLeftOn80Columns) {
  for (const int width : {80, 120}) {
    auto setup = on_terminal(5000);
    setup.width = width;
    Fixture f(setup);
    f.now = 200;
    f.line.update(1000, "loss 1.9000  25.1k tok/s");
    EXPECT_THAT(f.out, HasSubstr("6 min 40 s left"));
    EXPECT_EQ(f.out.find("steps/s") != std::string::npos, width == 120) << "the rate is what gives way";
    EXPECT_LT(display_width(f.out.substr(f.out.find("step"))), width);
  }
}

TEST(Progress, ASlowFirstStepIsSoonForgotten) {
  Fixture f(on_terminal(1000));
  f.now += 2;
  f.line.update(1, "");
  for (int i = 2; i <= 101; ++i) {
    f.now += 0.1;
    f.line.update(i, "");
  }
  EXPECT_NEAR(f.line.seconds_left(), 899 * 0.1, 20) << "0.1 s a step, and the first one counts for its 2 s only";
}

TEST(Progress, MessagesStandAboveTheLine) {
  Fixture f(on_terminal(10));
  f.now = 101;
  f.line.update(5, "");
  f.out.clear();
  f.line.message("saved");
  EXPECT_EQ(f.out.rfind("\r\x1b[Ksaved\n\r\x1b[Kstep 5/10", 0), 0U);
}

TEST(Progress, PrintsPlainLinesWithoutTerminal) {
  ProgressLine::Setup setup;
  setup.total = 1000;
  Fixture f(setup);
  for (int i = 1; i <= 1000; ++i) {
    f.now += 0.05;
    f.line.update(i, "");
  }
  f.line.finish();
  EXPECT_THAT(f.out, Not(HasSubstr("\r")));
  EXPECT_THAT(f.out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(f.out, HasSubstr("step 1'000/1'000 100%"));
  EXPECT_EQ(std::count(f.out.begin(), f.out.end(), '\n'), 6) << f.out;
}

TEST(Progress, RateFollowsAResumeAndAChange) {
  auto setup = on_terminal(2000);
  setup.first = 1000;
  Fixture f(setup);
  f.now = 110;
  f.line.update(1100, "");
  EXPECT_DOUBLE_EQ(f.line.seconds_left(), 90) << "100 steps in 10 s, 900 are left";
  for (int i = 1; i <= 100; ++i) {
    f.now += 2;
    f.line.update(1100 + i, "");
  }
  EXPECT_NEAR(f.line.seconds_left(), 1600, 20) << "now 2 s a step, 800 are left";
}

TEST(Progress, AnAsideIsShownAndIsNoPartOfTheRate) {
  Fixture f(on_terminal(100));
  for (int i = 1; i <= 50; ++i) {
    f.now += 1;
    f.line.update(i, "loss 1.90");
  }
  EXPECT_NEAR(f.line.seconds_left(), 50, 1e-9);
  f.out.clear();
  for (int i = 0; i <= 40; ++i) {  // an evaluation of 400 s
    f.line.expect_aside(400.0 - 10.0 * i);
    f.line.aside("evaluating " + std::to_string(i) + "/40 windows");
    f.now += 10;
  }
  EXPECT_THAT(f.out, HasSubstr("step 50/100 [=====     ]  50%  evaluating 1/40 windows  7 min 20 s left"));
  EXPECT_THAT(f.out, HasSubstr("evaluating 20/40 windows  4 min 10 s left")) << "50 s of steps, 200 s of evaluation";
  EXPECT_THAT(f.out, Not(HasSubstr("loss")));
  f.line.expect_aside(0);
  f.now += 1;
  f.out.clear();
  f.line.update(51, "loss 1.80");
  EXPECT_THAT(f.out, HasSubstr("step 51/100 [=====     ]  51%  loss 1.80"));
  EXPECT_NEAR(f.line.seconds_left(), 49, 1e-6) << "the evaluation left no trace in the rate";
}

TEST(Progress, AnAsideIsSeenWithoutATerminalToo) {
  ProgressLine::Setup setup;
  setup.total = 10;
  Fixture f(setup);
  f.now += 1;
  f.line.update(1, "");
  for (int i = 0; i < 100; ++i) {
    f.line.aside("evaluating");
    f.now += 1;
  }
  EXPECT_EQ(std::count(f.out.begin(), f.out.end(), '\n'), 10) << "a line in 10 s";
}

TEST(Progress, SaysNothingOfWhatIsQuick) {
  auto setup = on_terminal(10);
  setup.silent_seconds = 1;
  Fixture f(setup);
  f.now += 0.9;
  f.line.update(10, "");
  f.line.finish();
  EXPECT_EQ(f.out, "");
  Fixture slow(setup);
  slow.now += 1.1;
  slow.line.update(5, "");
  EXPECT_THAT(slow.out, HasSubstr("step 5/10"));
}

TrainStart start_of(std::int64_t max_steps, std::int64_t every, std::int64_t windows) {
  TrainStart start;
  start.max_steps = max_steps;
  start.eval_every_steps = every;
  start.eval_windows = windows;
  return start;
}

TEST(EvaluationClock, CountsWhatIsStillToCome) {
  EXPECT_EQ(EvaluationClock(start_of(100, 25, 8)).count_after(0), 4);
  EXPECT_EQ(EvaluationClock(start_of(100, 25, 8)).count_after(25), 3);
  EXPECT_EQ(EvaluationClock(start_of(100, 30, 8)).count_after(29), 4) << "30, 60, 90 and the last step";
  EXPECT_EQ(EvaluationClock(start_of(100, 30, 8)).count_after(90), 1);
  EXPECT_EQ(EvaluationClock(start_of(100, 30, 8)).count_after(100), 0);
  EXPECT_EQ(EvaluationClock(start_of(100, 0, 8)).count_after(0), 1) << "only after the last step";
  EXPECT_EQ(EvaluationClock(start_of(100, 25, 0)).count_after(0), 0) << "there is no validation split";
}

TEST(EvaluationClock, MeasuresAndForetells) {
  EvaluationClock clock(start_of(100, 25, 8));
  EXPECT_EQ(clock.after(0), 0) << "nothing is known yet";
  EXPECT_EQ(clock.during({25, 0, 8}, 1000), 0);
  EXPECT_DOUBLE_EQ(clock.during({25, 2, 8}, 1010), 30 + 3 * 40) << "5 s a window; three evaluations follow";
  EXPECT_DOUBLE_EQ(clock.during({25, 8, 8}, 1040), 3 * 40);
  EXPECT_DOUBLE_EQ(clock.seconds(), 40);
  EXPECT_DOUBLE_EQ(clock.after(49), 3 * 40);
  EXPECT_DOUBLE_EQ(clock.during({50, 0, 8}, 2000), 40 + 2 * 40) << "a new one takes as long as the last one";
}

TEST(Progress, NeverDividesByAStoppedClock) {
  Fixture f(on_terminal(10));
  f.line.update(5, "");
  EXPECT_THAT(f.out, Not(HasSubstr("inf")));
  EXPECT_THAT(f.out, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace minnow::cli
