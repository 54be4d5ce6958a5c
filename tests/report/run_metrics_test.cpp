#include "minnow/report/run_metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "minnow/base/error.hpp"

namespace minnow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RunMetrics, ReadsColumnsInTheirOrder) {
  const RunMetrics run = parse_run_metrics(
      "{\"step\": 10, \"loss\": 2.5, \"lr\": 0.1, \"note\": \"text\"}\n"
      "{\"step\": 20, \"loss\": 2.0, \"val_loss\": 2.25}\n"
      "{\"step\": 30, \"val_loss\": 2.125}\n",
      "r");
  EXPECT_THAT(run.steps, ElementsAre(10, 20, 30));
  ASSERT_EQ(run.columns.size(), 3U);
  EXPECT_EQ(run.columns[0].name, "loss");
  EXPECT_EQ(run.columns[1].name, "lr");
  EXPECT_EQ(run.columns[2].name, "val_loss");
  EXPECT_EQ(run.find("loss")->values[1], 2.0);
  EXPECT_TRUE(std::isnan(run.find("loss")->values[2]));
  EXPECT_TRUE(std::isnan(run.find("val_loss")->values[0]));
  EXPECT_EQ(run.lowest("val_loss")->step, 30);
  EXPECT_EQ(run.last("loss")->step, 20);
  EXPECT_FALSE(run.last("grad_norm").has_value());
  EXPECT_EQ(run.last_step(), 30);
  EXPECT_EQ(run.bad_lines, 0);
}

TEST(RunMetrics, TornLastLineIsIgnored) {
  const RunMetrics run = parse_run_metrics("{\"step\": 10, \"loss\": 2.5}\n{\"step\": 20, \"lo", "r");
  EXPECT_EQ(run.steps.size(), 1U);
  EXPECT_EQ(run.bad_lines, 0);
}

TEST(RunMetrics, NullsAreCountedAndTellFromWhatWasNotLogged) {
  const RunMetrics run =
      parse_run_metrics("{\"step\": 1, \"loss\": null}\n{\"step\": 2, \"loss\": 1.5, \"val_loss\": null}\n", "r");
  EXPECT_EQ(run.not_finite("loss"), 1);
  EXPECT_EQ(run.not_finite("val_loss"), 1);
  EXPECT_EQ(run.not_finite("lr"), 0);
  EXPECT_EQ(run.find("loss")->values[0], kNotFinite);
  EXPECT_TRUE(std::isnan(run.find("val_loss")->values[0]));
}

TEST(RunMetrics, ForeignLinesAreCounted) {
  const RunMetrics run = parse_run_metrics(
      "hello\n[1]\n{\"loss\": 1}\n{\"step\": \"x\"}\n\xFF\xFE\n\n{\"step\": 5, \"loss\": 1}\r\n", "r");
  EXPECT_EQ(run.bad_lines, 5);
  EXPECT_EQ(run.steps.size(), 1U);
}

TEST(RunMetrics, TwoLinesOfOneStepMakeOneRow) {
  const RunMetrics run = parse_run_metrics("{\"step\": 5, \"loss\": 1}\n{\"step\": 5, \"val_loss\": 2}\n", "r");
  EXPECT_THAT(run.steps, ElementsAre(5));
  EXPECT_THAT(run.find("loss")->values, ElementsAre(1));
  EXPECT_THAT(run.find("val_loss")->values, ElementsAre(2));
}

TEST(RunMetrics, LaterLinesReplaceEarlierOnesOfTheSameSteps) {
  const RunMetrics run = parse_run_metrics(
      "{\"step\": 1, \"loss\": 9}\n{\"step\": 2, \"loss\": 8, \"val_loss\": 8}\n{\"step\": 3, \"loss\": 7}\n"
      "{\"step\": 2, \"loss\": 5}\n",
      "r");
  EXPECT_THAT(run.steps, ElementsAre(1, 2));
  EXPECT_THAT(run.find("loss")->values, ElementsAre(9, 5));
  EXPECT_FALSE(run.last("val_loss").has_value());
}

TEST(RunMetrics, NumberOfColumnsIsBounded) {
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += "{\"step\": " + std::to_string(i) + ", \"m" + std::to_string(i) + "\": 1}\n";
  EXPECT_LE(parse_run_metrics(lines, "r").columns.size(), 256U);
}

TEST(RunMetrics, MissingFilesAreNamed) {
  const auto folder = std::filesystem::temp_directory_path() / "minnow_run_metrics_test";
  std::filesystem::remove_all(folder);
  EXPECT_THROW((void)read_run_metrics(folder, "plot"), CheckpointError);
  std::filesystem::create_directories(folder);
  try {
    (void)read_run_metrics(folder, "compare");
    FAIL();
  } catch (const CheckpointError& error) {
    EXPECT_THAT(error.what(), HasSubstr("[compare] a run must have the file metrics.jsonl"));
  }
  std::ofstream(folder / "metrics.jsonl") << "{\"step\": 1, \"loss\": 2}\n";
  EXPECT_EQ(read_run_metrics(folder, "plot").name, "minnow_run_metrics_test");
  EXPECT_EQ(read_run_metrics(folder / "metrics.jsonl", "plot").name, "minnow_run_metrics_test");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace minnow
