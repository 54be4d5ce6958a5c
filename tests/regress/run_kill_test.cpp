// The real program under kill -9, signals, both OpenBLAS flavours and clocks that jump.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "data/data_files.hpp"
#include "io/process.hpp"
#include "minnow/io/checkpoint.hpp"
#include "minnow/io/file.hpp"
#include "support/sanitizers.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using test::Process;

constexpr const char* kConfig = R"(
[model]
n_layer = 1
n_head = 2
n_embd = 16
block_size = 16
dropout = 0.1
[data]
path = "text.txt"
[train]
max_steps = 300
batch_size = 4
[eval]
every_steps = 7
[checkpoint]
every_steps = 5
[sample]
every_steps = 9
max_tokens = 10
[log]
every_steps = 1
[compute]
threads = 1
)";
constexpr std::int64_t kInterval = 5;

/// No test here cuts the power: a file system in memory makes saves quick.
const bool kInMemory =
    std::getenv("TMPDIR") == nullptr && ::access("/dev/shm", W_OK) == 0 && ::setenv("TMPDIR", "/dev/shm", 0) == 0;

std::string numbers() {
  std::string text;
  for (int i = 0; text.size() < 3000; ++i) text += fmt::format("{} squared is {}\n", i, i * i);
  return text;
}

class Program : public ::testing::Test {
 protected:
  std::vector<std::string> command(const std::string& run, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {MINNOW_BINARY, "train",           config_, "--resume",          "--json",
                                      "--run",       folder_.path(run), "--set", "data.path=" + text_};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  static std::vector<std::string> under(std::vector<std::string> prefix, const std::vector<std::string>& words) {
    prefix.insert(prefix.end(), words.begin(), words.end());
    return prefix;
  }
  /// @return the hash in the JSON line of a run that ended well.
  static std::string finish(const std::vector<std::string>& words) {
    const test::Outcome outcome = test::run_command(words);
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    const auto at = outcome.output.find("\"state_sha256\":\"");
    return at == std::string::npos ? outcome.output : outcome.output.substr(at + 16, 64);
  }
  std::string timeless(const std::string& run) const {
    std::string kept;
    std::ifstream lines(folder_.path(run) + "/metrics.jsonl");
    for (std::string line; std::getline(lines, line);) {
      auto json = nlohmann::ordered_json::parse(line);
      EXPECT_GE(json.at("seconds").get<double>(), 0) << line;
      EXPECT_GE(json.at("tokens_per_s").get<double>(), 0) << line;
      json.erase("seconds");
      json.erase("tokens_per_s");
      kept += json.dump() + "\n";
    }
    return kept;
  }
  std::int64_t logged_lines(const std::string& run) const {
    std::ifstream lines(folder_.path(run) + "/metrics.jsonl");
    std::int64_t count = 0;
    for (std::string line; std::getline(lines, line);) count += lines.eof() ? 0 : 1;
    return count;
  }
  std::int64_t newest(const std::string& run) const {
    std::vector<std::string> warnings;
    const auto checkpoint = open_newest_valid(folder_.path(run), warnings);
    return checkpoint ? checkpoint->step() : 0;
  }
  static void wait_for(Process& process, const std::string& text) {
    for (std::string line = process.read_line(); !line.empty(); line = process.read_line()) {
      if (line.find(text) != std::string::npos) return;
    }
  }
  /// Lets runs die at random moments; every run that comes to its end must equal the straight one.
  void kill_often(int kills) const;

  test::DataFolder folder_;
  std::string text_ = folder_.write("text.txt", numbers());
  std::string config_ = folder_.write("run.toml", kConfig);
};

void Program::kill_often(int kills) const {
  const std::string expected = finish(command("straight"));
  const std::string log = timeless("straight");
  const std::string samples = read_file(folder_.path("straight/samples.txt"));
  const auto begin = Clock::now();
  (void)finish(command("measured"));
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count();
  std::uint32_t state = 12345;
  std::string run = "run0";
  for (int done = 0, runs = 0; done < kills;) {
    {
      Process process(command(run, {"--quiet"}));
      state = state * 1664525U + 1013904223U;
      std::this_thread::sleep_for(std::chrono::microseconds(whole * (state >> 16U) / 65536 / 2));
      process.send(SIGKILL);
      done += process.wait() == 128 + SIGKILL ? 1 : 0;
    }
    const std::int64_t step = newest(run), logged = logged_lines(run);
    ASSERT_LE(logged - step, kInterval) << "the checkpoint must be at most an interval old";
    if (step < 300 && done < kills) continue;
    EXPECT_EQ(finish(command(run)), expected);
    EXPECT_EQ(timeless(run), log);
    EXPECT_EQ(read_file(folder_.path(run + "/samples.txt")), samples);
    EXPECT_EQ(best_step(folder_.path(run)), best_step(folder_.path("straight")));
    if (HasFailure()) return;
    run = fmt::format("run{}", ++runs);
  }
}

TEST_F(Program, KilledAtRandomMomentsGoesOnFromItsLastCheckpoint) { kill_often(10); }
TEST_F(Program, SlowKilled200TimesGoesOnFromItsLastCheckpoint) { kill_often(200); }

// What the signal shall meet, and how to know that it is there.
struct Phase {
  const char* name;
  std::vector<std::string> options;
  const char* wait_for;  ///< a piece of the output
  int delay_ms;
};

TEST_F(Program, SavesAndEndsWithin2SecondsAfterASignalInAnyPhase) {
  const std::string expected = finish(command("straight", {"--set", "sample.every_steps=0"}));
  const std::vector<Phase> phases = {
      {"first step", {}, "parameters", 0},
      {"warm-up", {"--set", "schedule.warmup_steps=300"}, "parameters", 30},
      {"evaluation",
       {"--set", "data.path=builtin", "--set", "data.val_fraction=0.5", "--set", "eval.every_steps=1"},
       "parameters",
       150},
      {"sampling", {"--set", "sample.every_steps=1", "--set", "sample.max_tokens=100000"}, "parameters", 150}};
  for (const Phase& phase : phases) {
    for (const int number : {SIGINT, SIGTERM}) {
      const std::string run = fmt::format("{}-{}", phase.name, number);
      Process process(command(run, phase.options));
      process.close_input();
      wait_for(process, phase.wait_for);
      std::this_thread::sleep_for(std::chrono::milliseconds(phase.delay_ms));
      const auto begin = Clock::now();
      process.send(number);
      const std::string output = process.read_all();
      EXPECT_EQ(process.wait(), 128 + number) << run << "\n" << output;
      EXPECT_LT(Clock::now() - begin, std::chrono::seconds(2)) << run;
      EXPECT_TRUE(latest_step(folder_.path(run)).has_value()) << run << " must have a checkpoint\n" << output;
      if (std::string(phase.name) == "first step" || std::string(phase.name) == "sampling") {
        EXPECT_EQ(finish(command(run, {"--set", "sample.every_steps=0"})), expected) << run;
      }
    }
  }
}

TEST_F(Program, ASecondSignalEndsAtOnceAndDamagesNothing) {
  const std::string expected = finish(command("straight"));
  for (int delay_ms = 0; delay_ms < 40; delay_ms += 5) {
    Process process(command("run"));
    process.close_input();
    wait_for(process, "parameters");
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
    process.send(SIGINT);
    std::this_thread::sleep_for(std::chrono::microseconds(delay_ms * 50));
    process.send(SIGTERM);
    const int code = process.wait();
    EXPECT_TRUE(code == 130 || code == 143) << code;
  }
  EXPECT_EQ(finish(command("run")), expected);
}

TEST_F(Program, KilledInTheLastEvaluationHasItsLastCheckpoint) {
  const std::vector<std::string> options = {"--set", "train.max_steps=3",   "--set", "eval.every_steps=0",
                                            "--set", "data.path=builtin",   "--set", "data.val_fraction=0.9",
                                            "--set", "sample.every_steps=0"};
  Process process(command("run", options));
  const fs::path last = checkpoint_directory(folder_.path("run"), 3);
  const auto begin = Clock::now();
  while (!fs::exists(last) && Clock::now() - begin < std::chrono::seconds(20)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  process.send(SIGKILL);
  ASSERT_EQ(process.wait(), 128 + SIGKILL) << "the evaluation of 900 000 characters must last longer";
  EXPECT_EQ(newest("run"), 3);
  EXPECT_EQ(finish(command("run", options)), finish(command("straight", options))) << "a resume only evaluates";
}

TEST_F(Program, GivesTheSameBitsUnderBothFlavoursOfOpenblas) {
  std::string first;
  for (const char* flavour : {"pthread", "openmp"}) {
    const std::string folder = fmt::format("/usr/lib/x86_64-linux-gnu/openblas-{}", flavour);
    if (!fs::exists(folder)) GTEST_SKIP() << "needs both OpenBLAS packages; " << folder << " is not there";
    for (const int threads : {1, 3}) {
      const std::string run = fmt::format("{}{}", flavour, threads);
      const std::string hash = finish(under({"env", "LD_LIBRARY_PATH=" + folder},
                                            command(run, {"--set", fmt::format("compute.threads={}", threads), "--set",
                                                          "model.n_embd=48", "--set", "compute.gemm=openblas"})));
      const auto step = latest_step(folder_.path(run));
      ASSERT_TRUE(step.has_value());
      const std::string environment = read_file(checkpoint_directory(folder_.path(run), *step) / "environment.json");
      EXPECT_NE(environment.find(fmt::format("\"blas_flavour\": \"{}\"", flavour)), std::string::npos) << environment;
      if (first.empty()) first = hash;
      EXPECT_EQ(hash, first) << flavour << ", " << threads << " threads";
    }
  }
}

TEST_F(Program, DoesNotLookAtTheClock) {
  const fs::path library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
  if (!fs::exists(library)) GTEST_SKIP() << "needs the package faketime";
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer must be the first library loaded";
  const std::string expected = finish(command("straight"));
  const std::string log = timeless("straight");
  const std::string times = folder_.write("time", "+0\n");
  const std::vector<std::string> fake = {"env", "LD_PRELOAD=" + library.string(), "FAKETIME_TIMESTAMP_FILE=" + times,
                                         "FAKETIME_NO_CACHE=1"};
  Process process(under(fake, command("run")));
  process.close_input();
  wait_for(process, "parameters");
  for (const char* time : {"+365d\n", "-365d\n", "@1970-01-02 00:00:00\n", "+0\n"}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    write_file_atomic(times, time);
  }
  const std::string output = process.read_all();
  ASSERT_EQ(process.wait(), 0) << output;
  EXPECT_EQ(timeless("run"), log);
  // Stopped in the future, resumed in the past: the newest checkpoint is chosen by its step.
  write_file_atomic(times, "+365d\n");
  {
    Process later(under(fake, command("other")));
    wait_for(later, "parameters");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    later.send(SIGTERM);
    (void)later.wait();
  }
  write_file_atomic(times, "@1970-01-02 00:00:00\n");
  EXPECT_EQ(finish(under(fake, command("other"))), expected);
  EXPECT_EQ(timeless("other"), log);
}

TEST_F(Program, OfManyStartsInOneDirectoryOneWins) {
  for (int round = 0; round < 5; ++round) {
    std::vector<std::unique_ptr<Process>> all;
    const std::string run = folder_.path(fmt::format("r{}", round));
    for (int i = 0; i < 6; ++i) {
      all.push_back(std::make_unique<Process>(std::vector<std::string>{MINNOW_BINARY, "train", config_, "--quiet",
                                                                       "--run", run, "--set", "train.max_steps=100",
                                                                       "--set", "data.path=" + text_}));
    }
    int winners = 0;
    for (const auto& process : all) {
      const int code = process->wait();
      EXPECT_TRUE(code == 0 || code == 8 || code == 2) << code;  // 2: it looked when the winner's run was there
      winners += code == 0 ? 1 : 0;
    }
    EXPECT_EQ(winners, 1);
  }
}

}  // namespace
}  // namespace minnow
