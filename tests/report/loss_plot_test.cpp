#include "minnow/report/loss_plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "minnow/base/error.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

LossCurves falling(const std::string& name, double floor, int points = 200) {
  LossCurves run;
  run.name = name;
  for (int i = 0; i < points; ++i) {
    const double value = floor + 3 * std::exp(-i / 30.0);
    run.train.push_back({i * 10, value});
    if (i % 50 == 49) run.val.push_back({i * 10, value + 0.1});
    run.last_step = i * 10;
  }
  return run;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 128; });
}

TEST(LossCurves, ReadsLossesAndEvaluations) {
  const LossCurves curves = parse_loss_curves(
      "{\"step\": 10, \"loss\": 2.5, \"lr\": 0.1}\n"
      "{\"step\": 20, \"loss\": 2.0, \"val_loss\": 2.25}\n"
      "{\"step\": 30, \"val_loss\": 2.125}\n",
      "r");
  ASSERT_EQ(curves.train.size(), 2U);
  EXPECT_EQ(curves.train[1].step, 20);
  EXPECT_EQ(curves.train[1].value, 2.0);
  ASSERT_EQ(curves.val.size(), 2U);
  EXPECT_EQ(curves.best()->step, 30);
  EXPECT_EQ(curves.last_step, 30);
  EXPECT_EQ(curves.bad_lines, 0);
}

TEST(LossCurves, TornLastLineIsIgnored) {
  const LossCurves curves = parse_loss_curves("{\"step\": 10, \"loss\": 2.5}\n{\"step\": 20, \"lo", "r");
  EXPECT_EQ(curves.train.size(), 1U);
  EXPECT_EQ(curves.bad_lines, 0);
}

TEST(LossCurves, NullsAreCountedNotDrawn) {
  const LossCurves curves =
      parse_loss_curves("{\"step\": 1, \"loss\": null}\n{\"step\": 2, \"loss\": 1.5, \"val_loss\": null}\n", "r");
  EXPECT_EQ(curves.train.size(), 1U);
  EXPECT_EQ(curves.not_finite, 2);
}

TEST(LossCurves, ForeignLinesAreCounted) {
  const LossCurves curves = parse_loss_curves(
      "hello\n[1]\n{\"loss\": 1}\n{\"step\": \"x\"}\n\xFF\xFE\n\n{\"step\": 5, \"loss\": 1}\r\n", "r");
  EXPECT_EQ(curves.bad_lines, 5);
  EXPECT_EQ(curves.train.size(), 1U);
}

TEST(LossCurves, TwoLinesOfOneStepBelongTogether) {
  const LossCurves curves = parse_loss_curves("{\"step\": 5, \"loss\": 1}\n{\"step\": 5, \"val_loss\": 2}\n", "r");
  EXPECT_EQ(curves.train.size(), 1U);
  EXPECT_EQ(curves.val.size(), 1U);
}

TEST(LossCurves, LaterLinesReplaceEarlierOnesOfTheSameSteps) {
  const LossCurves curves = parse_loss_curves(
      "{\"step\": 1, \"loss\": 9}\n{\"step\": 2, \"loss\": 8}\n{\"step\": 3, \"loss\": 7}\n{\"step\": 2, \"loss\": "
      "5}\n",
      "r");
  ASSERT_EQ(curves.train.size(), 2U);
  EXPECT_EQ(curves.train[1].value, 5);
}

TEST(LossCurves, MissingAndEmptyFilesAreNamed) {
  const auto folder = std::filesystem::temp_directory_path() / "minnow_loss_curves_test";
  std::filesystem::remove_all(folder);
  EXPECT_THROW((void)read_loss_curves(folder), IoError);
  std::filesystem::create_directories(folder);
  EXPECT_THROW((void)read_loss_curves(folder), IoError);
  std::ofstream(folder / "metrics.jsonl").close();
  try {
    (void)read_loss_curves(folder);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("metrics.jsonl"));
  }
  std::ofstream(folder / "metrics.jsonl") << "{\"step\": 1, \"loss\": 2}\n";
  EXPECT_EQ(read_loss_curves(folder).name, "minnow_loss_curves_test");
  EXPECT_EQ(read_loss_curves(folder / "metrics.jsonl").name, "minnow_loss_curves_test");
  std::filesystem::remove_all(folder);
}

TEST(LossPlot, FitsTheWidthAndIsValidText) {
  const LossCurves run = falling("quick", 1.2);
  for (const int width : {1, 30, 31, 57, 80, 200}) {
    for (const bool unicode : {true, false}) {
      for (const int height : {1, 5, 16, 40}) {
        const std::string text =
            plot_losses({&run, 1}, {.width = width, .height = height, .unicode = unicode, .log_scale = width == 57});
        EXPECT_EQ(count_invalid_utf8(text), 0U);
        EXPECT_EQ(is_ascii(text), !unicode);
        for (const std::string& line : lines_of(text)) {
          EXPECT_LE(count_characters(line), static_cast<std::size_t>(std::max(width, 30))) << line;
        }
      }
    }
  }
}

TEST(LossPlot, CurveFallsFromTheUpperLeftToTheLowerRight) {
  LossCurves run;
  run.name = "line";
  for (int i = 0; i <= 100; ++i) run.train.push_back({i, 100.0 - i});
  const auto lines = lines_of(plot_losses({&run, 1}, {.width = 50, .height = 10, .unicode = false}));
  ASSERT_GE(lines.size(), 12U);
  std::size_t last = 0;
  for (std::size_t row = 0; row < 10; ++row) {
    const std::size_t at = lines[row].find('.', 10);
    ASSERT_NE(at, std::string::npos) << lines[row];
    EXPECT_GE(at, last);
    last = at;
  }
  EXPECT_EQ(lines[0].find('.', 10), 10U);
  EXPECT_EQ(lines[9].size(), 50U);
  EXPECT_THAT(lines[0], HasSubstr("100.00"));
  EXPECT_THAT(lines[9], HasSubstr("0.000"));
}

TEST(LossPlot, NamesFinalFiguresAndTheBestEvaluation) {
  LossCurves run;
  run.name = "r";
  run.last_step = 30;
  run.train = {{10, 2}, {30, 1.5}};
  run.val = {{10, 1.75}, {30, 1.875}};
  EXPECT_THAT(plot_losses({&run, 1}, {.width = 120}),
              HasSubstr("r: step 30, loss 1.5000, val_loss 1.8750, best 1.7500 at step 10"));
}

TEST(LossPlot, SeveralRunsAreToldApart) {
  const std::vector<LossCurves> runs = {falling("first", 1), falling("second", 2), falling("third", 3)};
  const std::string plain = plot_losses(runs, {.width = 100, .unicode = true});
  for (const char* const text : {"a train", "B validation", "first:", "second:", "c train"}) {
    EXPECT_THAT(plain, HasSubstr(text));
  }
  EXPECT_THAT(plain, Not(HasSubstr("\x1b[")));
  const std::string colored = plot_losses(runs, {.width = 100, .unicode = true, .color = true});
  EXPECT_THAT(colored, HasSubstr("\x1b[36m"));
  EXPECT_THAT(colored, HasSubstr("\x1b[33m"));
}

TEST(LossPlot, OnePointAndFlatCurvesAreDrawn) {
  LossCurves run;
  run.name = "r";
  run.train = {{7, 2.5}};
  EXPECT_THAT(plot_losses({&run, 1}, {.unicode = false}), HasSubstr("|"));
  run.train = {{1, 0}, {2, 0}};
  EXPECT_NO_THROW((void)plot_losses({&run, 1}, {}));
  EXPECT_THROW((void)plot_losses({&run, 1}, {.log_scale = true}), DataError);
  run.train = {{1, 1e-300}, {2, 1e300}};
  EXPECT_NO_THROW((void)plot_losses({&run, 1}, {}));
  EXPECT_NO_THROW((void)plot_losses({&run, 1}, {.log_scale = true}));
  run.train = {{0, -1e308}, {std::numeric_limits<std::int64_t>::max(), 1e308}};
  EXPECT_NO_THROW((void)plot_losses({&run, 1}, {}));
}

}  // namespace
}  // namespace minnow
