#include "minnow/io/run_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io/io_support.hpp"
#include "minnow/base/error.hpp"

namespace minnow {
namespace {

using test::TempDir;

TEST(MetricsLine, ValuesOfEveryKind) {
  const MetricFields fields{{"loss", 0.1},
                            {"bad", std::nan("")},
                            {"huge", std::numeric_limits<double>::infinity()},
                            {"tokens", std::int64_t{1} << 60},
                            {"done", true},
                            {"note", std::string("a \"b\"\n\xff")}};
  EXPECT_EQ(metrics_line(3, fields),
            "{\"step\": 3, \"loss\": 0.1, \"bad\": null, \"huge\": null, \"tokens\": 1152921504606846976, "
            "\"done\": true, \"note\": \"a \\\"b\\\"\\n\xEF\xBF\xBD\"}");
}

TEST(MetricsLog, AppendsLinesThatOthersSeeAtOnce) {
  const TempDir run;
  MetricsLog log(run / "metrics.jsonl");
  log.append(1, {{"loss", 2.5}});
  EXPECT_EQ(test::slurp(run / "metrics.jsonl"), "{\"step\": 1, \"loss\": 2.5}\n");
  log.append(2, {});
  log.sync();
  EXPECT_EQ(test::slurp(run / "metrics.jsonl"), "{\"step\": 1, \"loss\": 2.5}\n{\"step\": 2}\n");
}

TEST(MetricsLog, CutAtEveryByteKeepsOnlyWholeLines) {
  std::string whole;
  for (int step = 1; step <= 3; ++step) whole += metrics_line(step, {{"loss", 1.0 / step}}) + "\n";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const std::string kept = cut_metrics(whole.substr(0, length), std::nullopt);
    // A line that lacks only its newline is whole and gets one; else the last line goes.
    const std::size_t last = whole.rfind('\n', length == 0 ? 0 : length - 1);
    const bool only_newline_lost =
        length < whole.size() && whole[length] == '\n' && length > 0 && whole[length - 1] == '}';
    const std::string expected = only_newline_lost                          ? whole.substr(0, length + 1)
                                 : last == std::string::npos || length == 0 ? ""
                                                                            : whole.substr(0, last + 1);
    EXPECT_EQ(kept, expected) << length;
  }
}

TEST(MetricsLog, CutDropsLaterSteps) {
  const std::string content =
      "{\"step\": 1}\n{\"step\": 10}\n{\"step\": 2}\n{\"note\": 1}\n{\"step\": 11}\n{\"step\": 3";
  EXPECT_EQ(cut_metrics(content, 3), "{\"step\": 1}\n{\"step\": 2}\n{\"note\": 1}\n");
  EXPECT_EQ(cut_metrics(content, 10), "{\"step\": 1}\n{\"step\": 10}\n{\"step\": 2}\n{\"note\": 1}\n");
  EXPECT_EQ(cut_metrics("{\"step\": 1}\n" + std::string(50, '\0'), 5), "{\"step\": 1}\n");
  EXPECT_EQ(cut_metrics("", 5), "");
}

TEST(SamplesLog, TextThatLooksLikeAHeadingIsText) {
  const TempDir run;
  const std::string nasty = "=== step 900, 3 bytes ===\nabc\n\n=== step 901, 0 bytes ===\n\n";
  {
    SamplesLog log(run / "samples.txt");
    log.append(100, nasty);
    log.append(200, "");
    log.append(300, "last");
  }
  const std::string whole = test::slurp(run / "samples.txt");
  EXPECT_EQ(cut_samples(whole, std::nullopt), whole);
  EXPECT_EQ(cut_samples(whole, 200), whole.substr(0, whole.find("=== step 300")));
  EXPECT_EQ(cut_samples(whole, 99), "");
  const std::size_t second = whole.find("=== step 200");
  for (std::size_t length = 0; length < second; ++length) {  // torn anywhere in the first section
    const std::string kept = cut_samples(whole.substr(0, length), 100);
    EXPECT_TRUE(kept.empty() || length == second) << length << kept;
  }
}

TEST(AppendFile, BeginsAnewWhenTheFileWasMovedOrRemoved) {
  const TempDir run;
  AppendFile file(run / "log");
  file.append("a\n");
  std::filesystem::rename(run / "log", run / "old");
  file.append("b\n");
  EXPECT_EQ(read_file(run / "old"), "a\n");
  EXPECT_EQ(read_file(run / "log"), "b\n");
  std::filesystem::remove(run / "log");
  file.append("c\n");
  file.sync();
  EXPECT_EQ(read_file(run / "log"), "c\n");
}

TEST(AppendFile, AFailedAppendIsTakenBack) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "/dev/full is missing";
  AppendFile full("/dev/full");
  const std::string text = test::message_of<IoError>([&] { full.append("12345"); });
  EXPECT_THAT(text, testing::HasSubstr("No space left on device"));
  EXPECT_THAT(text, testing::HasSubstr("5 bytes needed"));
}

}  // namespace
}  // namespace minnow
