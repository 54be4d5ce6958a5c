#include "minnow/report/export.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/event_reader.hpp"

namespace minnow {
namespace {

using ::testing::HasSubstr;

const char* const kLog =
    "{\"step\": 10, \"tokens\": 1280, \"loss\": 2.5, \"lr\": 1e-05, \"seconds\": 1.5}\n"
    "{\"step\": 20, \"tokens\": 2560, \"loss\": null, \"val_loss\": 0.1, \"a,\\\"b\": 1, \"seconds\": 3}\n";

TEST(MetricsCsv, HasEveryColumnAndTellsNanFromNothing) {
  EXPECT_EQ(metrics_csv(parse_run_metrics(kLog, "r")),
            "step,tokens,loss,lr,seconds,val_loss,\"a,\"\"b\"\n"
            "10,1280,2.5,1e-05,1.5,,\n"
            "20,2560,nan,,3,0.1,1\n");
  EXPECT_EQ(metrics_csv(RunMetrics{}), "step\n");
}

TEST(TensorboardEvents, HoldScalarsSamplesAndConfiguration) {
  RunFacts run;
  run.metrics = parse_run_metrics(kLog, "r");
  run.samples = {{10, "one\ntwo"}, {25, "late \xFF"}};
  run.config_text = "[model]\n";
  const auto events = test::read_events(tensorboard_events(run, 1000));
  ASSERT_EQ(events.size(), 6U);
  EXPECT_EQ(events[0].file_version, "brain.Event:2");
  EXPECT_EQ(events[1].texts.at("config"), "    [model]\n    ");
  EXPECT_EQ(events[2].texts.at("sample"), "    one\n    two");
  EXPECT_EQ(events[2].step, 10);
  EXPECT_EQ(events[3].step, 10);
  EXPECT_EQ(events[3].wall_time, 1001.5);
  EXPECT_EQ(events[3].scalars.at("train/loss"), 2.5F);
  EXPECT_EQ(events[3].scalars.at("speed/tokens"), 1280);
  EXPECT_EQ(events[4].step, 20);
  EXPECT_TRUE(std::isnan(events[4].scalars.at("train/loss")));
  EXPECT_EQ(events[4].scalars.at("val/loss"), 0.1F);
  EXPECT_EQ(events[4].scalars.count("train/lr"), 0U);
  EXPECT_EQ(events[5].texts.at("sample"), "    late \uFFFD");
}

}  // namespace
}  // namespace minnow
