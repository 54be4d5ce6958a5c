// Public bugs of other programs in the files of a run, each as a test with the values that must come out.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <thread>

#include "io/io_support.hpp"
#include "io/process.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/checkpoint.hpp"
#include "minnow/io/run_lock.hpp"
#include "minnow/io/run_log.hpp"

namespace minnow {
namespace {

using test::Process;
using test::TempDir;
using test::ToyState;
using testing::ElementsAre;
using testing::HasSubstr;

// pytorch-lightning#19970: a kill during a save left an unreadable file.
TEST(B27KillDuringSave, HundredRandomKills) {
  const TempDir run;
  std::mt19937 random(27);
  std::int64_t last = 0;
  for (int kill = 0; kill < 100; ++kill) {
    Process process({MINNOW_IO_TOOL, "loop", run.path().string()});
    const std::string resumed = process.read_line();
    ASSERT_EQ(resumed, "resumed " + std::to_string(last)) << process.read_all();
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    process.send(SIGKILL);
    ASSERT_EQ(process.wait(), 128 + SIGKILL) << process.read_all();
    // The log line of a step is written just before its save: the checkpoint is at most one interval behind.
    std::vector<std::string> warnings;
    const auto found = open_newest_valid(run.path(), warnings);
    last = found ? found->step() : 0;
    EXPECT_TRUE(!found || ToyState(last, 2000).equals(*found));
    EXPECT_THAT(warnings, testing::IsEmpty());
    const std::string log = test::slurp(run / "metrics.jsonl");
    const auto logged = std::count(log.begin(), log.end(), '\n');
    EXPECT_GE(last + 1, logged);
    EXPECT_LE(last, logged);
  }
  EXPECT_GT(last, 100);
}

// transformers#27138: names sorted as text removed the newest checkpoint.
TEST(B29RotationByNumber, NineThousandNineHundredAndTenThousandStay) {
  const TempDir run;
  for (const std::int64_t step : {9800, 9900, 10000}) test::save(run.path(), step, {.keep = 2});
  EXPECT_THAT(test::steps_of(run.path()), ElementsAre(9900, 10000));
  for (const std::int64_t step : {99999999, 100000000}) test::save(run.path(), step, {.keep = 2});  // nine digits
  EXPECT_THAT(test::steps_of(run.path()), ElementsAre(99999999, 100000000));
}

std::string file_of(const std::string& json, const std::string& data) {
  const std::uint64_t length = json.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + json + data;
}

// safetensors#401: a duplicate key was accepted in silence.
TEST(R31SafetensorsHeader, DuplicateKeyIsRefused) {
  const std::string entry = R"("w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  const std::string file = file_of("{" + entry + "," + entry + "}", "1234");
  const std::string text =
      test::message_of<CheckpointError>([&] { (void)SafetensorsFile::from_bytes(std::as_bytes(std::span(file))); });
  EXPECT_THAT(text, HasSubstr("duplicate"));
}

// mlx#3364: a shape larger than the data was read past its end.
TEST(R33SafetensorsOffsets, ShapeLargerThanTheDataIsRefused) {
  const std::string file = file_of(R"({"w":{"dtype":"F32","shape":[1000,1000],"data_offsets":[0,4]}})", "1234");
  const std::string text =
      test::message_of<CheckpointError>([&] { (void)SafetensorsFile::from_bytes(std::as_bytes(std::span(file))); });
  EXPECT_THAT(text, HasSubstr("4000000 bytes"));
}

// openpi#969: processes that start in one directory with overwrite ran into each other's removals.
TEST(R41SameDirectory, EightStartsOneWinnerFiftyTimes) {
  const TempDir run;
  for (int round = 0; round < 50; ++round) {
    std::vector<std::unique_ptr<Process>> processes;
    for (int i = 0; i < 8; ++i) {
      processes.push_back(
          std::make_unique<Process>(std::vector<std::string>{MINNOW_IO_TOOL, "start", run.path().string()}));
    }
    std::map<std::string, int> answers;
    for (const auto& process : processes) {
      const std::string line = process->read_line();
      ++answers[line == "won" ? "won" : line.find("must be free") != std::string::npos ? "busy" : line];
    }
    EXPECT_EQ(answers["won"], 1);
    EXPECT_EQ(answers["busy"], 7);
    EXPECT_EQ(answers.size(), 2U) << testing::PrintToString(answers);
    for (const auto& process : processes) process->close_input();
    for (const auto& process : processes) {
      const int code = process->wait();
      EXPECT_TRUE(code == 0 || code == 8) << code;
    }
    if (HasFailure()) return;
  }
}

TEST(R41SameDirectory, TheLockIsFreeAfterKill) {
  const TempDir run;
  Process process({MINNOW_IO_TOOL, "hold", run.path().string()});
  ASSERT_EQ(process.read_line(), "held");
  const std::string text = test::message_of<BusyError>([&] { (void)RunLock::acquire(run.path()); });
  EXPECT_THAT(text, HasSubstr("process " + std::to_string(process.pid())));
  process.send(SIGKILL);
  process.wait();
  EXPECT_NO_THROW((void)RunLock::acquire(run.path()));
}

// tensorboard#3732: after a resume the steps behind the checkpoint stood twice in the log.
TEST(R47LogsAfterResume, EachStepOnce) {
  const TempDir straight, resumed;
  const auto log = [](const TempDir& run, std::int64_t from, std::int64_t to, std::optional<std::int64_t> at) {
    MetricsLog metrics(run / "metrics.jsonl", at);
    SamplesLog samples(run / "samples.txt", at);
    for (std::int64_t step = from; step <= to; ++step) {
      metrics.append(step, {{"loss", 1.0 / static_cast<double>(step)}});
      if (step % 10 == 0) samples.append(step, "text of step " + std::to_string(step) + "\n\n=== step 7 ===");
    }
  };
  log(straight, 1, 200, std::nullopt);
  log(resumed, 1, 150, std::nullopt);
  // Killed in the middle of a line: the torn line must not spoil the first new one.
  AppendFile(resumed / "metrics.jsonl").append("{\"step\": 151, \"lo");
  AppendFile(resumed / "samples.txt").append("=== step 151, 900 bytes ===\ntext of");
  log(resumed, 101, 200, 100);
  EXPECT_EQ(test::slurp(resumed / "metrics.jsonl"), test::slurp(straight / "metrics.jsonl"));
  EXPECT_EQ(test::slurp(resumed / "samples.txt"), test::slurp(straight / "samples.txt"));
}

}  // namespace
}  // namespace minnow
