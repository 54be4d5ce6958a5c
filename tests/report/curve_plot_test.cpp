#include "minnow/report/curve_plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "minnow/base/error.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A run as its log has it.
RunMetrics logged(const std::string& lines) { return parse_run_metrics(lines, "r"); }

PlotCurve falling(const std::string& name, double floor, int points = 200) {
  PlotCurve run;
  run.name = name;
  run.metric = "loss";
  run.figures = "step 1990, loss 1.2345, val_loss 1.3456, best 1.3401 at step 900";
  for (int i = 0; i < points; ++i) {
    const double value = floor + 3 * std::exp(-i / 30.0);
    run.line.push_back({i * 10.0, value});
    if (i % 50 == 49) run.marks.push_back({i * 10.0, value + 0.1});
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

TEST(CurvePlot, FitsTheWidthAndIsValidText) {
  const PlotCurve run = falling("quick", 1.2);
  for (const int width : {1, 30, 31, 57, 80, 200}) {
    for (const bool unicode : {true, false}) {
      for (const int height : {1, 5, 16, 40}) {
        const std::string text =
            plot_curves({&run, 1}, {.width = width, .height = height, .unicode = unicode, .log_scale = width == 57});
        EXPECT_EQ(count_invalid_utf8(text), 0U);
        EXPECT_EQ(is_ascii(text), !unicode);
        for (const std::string& line : lines_of(text)) {
          EXPECT_LE(count_characters(line), static_cast<std::size_t>(std::max(width, 30))) << line;
        }
      }
    }
  }
}

TEST(CurvePlot, CurveFallsFromTheUpperLeftToTheLowerRight) {
  PlotCurve run;
  run.name = "line";
  for (int i = 0; i <= 100; ++i) run.line.push_back({static_cast<double>(i), 100.0 - i});
  const auto lines = lines_of(plot_curves({&run, 1}, {.width = 50, .height = 10, .unicode = false}));
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

TEST(CurvePlot, LabelsOfAnAxisReadDifferently) {
  constexpr std::pair<double, double> kRanges[] = {{1e-4, 2e-3},  {1.2531, 1.2539}, {0.5, 4},  {9.9, 10.1},
                                                   {-0.01, 0.01}, {1e-9, 1e-7},     {10, 2e6}, {12000, 12100}};
  for (const auto& [low, high] : kRanges) {
    for (const bool log_scale : {false, true}) {
      if (log_scale && low <= 0) continue;
      PlotCurve run;
      run.line = {{0, low}, {1, high}};
      const auto lines =
          lines_of(plot_curves({&run, 1}, {.width = 40, .height = 9, .unicode = false, .log_scale = log_scale}));
      std::vector<std::string> labels;
      for (std::size_t row = 0; row < 9; ++row) {
        ASSERT_GT(lines[row].size(), 9U);
        EXPECT_THAT(lines[row].substr(9, 1), testing::AnyOf("|", "+")) << lines[row];
        if (lines[row][9] == '+') labels.push_back(lines[row].substr(0, 9));
      }
      EXPECT_EQ(labels.size(), 5U);
      EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), labels.size())
          << testing::PrintToString(labels);
    }
  }
}

TEST(CurvePlot, NamesFinalFiguresAndTheBestEvaluation) {
  const RunMetrics run = logged(
      "{\"step\": 10, \"loss\": 2, \"val_loss\": 1.75, \"lr\": 0.00012345}\n"
      "{\"step\": 20, \"loss\": null}\n"
      "{\"step\": 30, \"loss\": 1.5, \"val_loss\": 1.875}\n");
  const PlotCurve loss = make_plot_curve(run, "loss", CurveAxis::kStep);
  EXPECT_THAT(plot_curves({&loss, 1}, {.width = 120}),
              HasSubstr("r: step 30, loss 1.5000, val_loss 1.8750, best 1.7500 at step 10, 1 not finite"));
  EXPECT_EQ(make_plot_curve(run, "lr", CurveAxis::kStep).figures, "step 30, lr 0.0001234");
}

TEST(CurvePlot, CurvesStandAgainstStepsTokensOrTime) {
  const RunMetrics run = logged(
      "{\"step\": 1, \"loss\": 3, \"tokens\": 100, \"seconds\": 2.5}\n"
      "{\"step\": 2, \"loss\": 2}\n"
      "{\"step\": 3, \"loss\": 1, \"tokens\": 300, \"seconds\": 7.5}\n");
  EXPECT_EQ(make_plot_curve(run, "loss", CurveAxis::kStep).line.size(), 3U);
  const PlotCurve tokens = make_plot_curve(run, "loss", CurveAxis::kTokens);
  ASSERT_EQ(tokens.line.size(), 2U);
  EXPECT_EQ(tokens.line[1].x, 300);
  EXPECT_EQ(make_plot_curve(run, "loss", CurveAxis::kTime).line[1].x, 7.5);
  EXPECT_TRUE(make_plot_curve(run, "nothing", CurveAxis::kStep).line.empty());
  EXPECT_THAT(plot_curves({&tokens, 1}, {.unicode = false, .axis = CurveAxis::kTokens}), HasSubstr("300 tokens"));
}

TEST(CurvePlot, NamesDoNotCommandTheTerminal) {
  PlotCurve run = falling("\x1b[31mred\r", 1);
  EXPECT_THAT(plot_curves({&run, 1}, {}), ::testing::AllOf(HasSubstr("?[31mred?"), Not(HasSubstr("\x1b"))));
}

TEST(CurvePlot, SeveralRunsAreToldApart) {
  const std::vector<PlotCurve> runs = {falling("first", 1), falling("second", 2), falling("third", 3)};
  const std::string plain = plot_curves(runs, {.width = 100, .unicode = true});
  for (const char* const text : {"a train", "B validation", "first:", "second:", "c train"}) {
    EXPECT_THAT(plain, HasSubstr(text));
  }
  EXPECT_THAT(plain, Not(HasSubstr("\x1b[")));
  const std::string colored = plot_curves(runs, {.width = 100, .unicode = true, .color = true});
  EXPECT_THAT(colored, HasSubstr("\x1b[36m"));
  EXPECT_THAT(colored, HasSubstr("\x1b[33m"));
}

TEST(CurvePlot, OnePointAndFlatCurvesAreDrawn) {
  PlotCurve run;
  run.name = "r";
  EXPECT_THROW((void)plot_curves({&run, 1}, {}), DataError);
  run.line = {{7, 2.5}};
  EXPECT_THAT(plot_curves({&run, 1}, {.unicode = false}), HasSubstr("|"));
  run.line = {{1, 0}, {2, 0}};
  EXPECT_NO_THROW((void)plot_curves({&run, 1}, {}));
  EXPECT_THROW((void)plot_curves({&run, 1}, {.log_scale = true}), DataError);
  run.line = {{1, 1e-300}, {2, 1e300}};
  EXPECT_NO_THROW((void)plot_curves({&run, 1}, {}));
  EXPECT_NO_THROW((void)plot_curves({&run, 1}, {.log_scale = true}));
  run.line = {{0, -1e308}, {9.2e18, 1e308}};
  EXPECT_NO_THROW((void)plot_curves({&run, 1}, {}));
}

}  // namespace
}  // namespace minnow
