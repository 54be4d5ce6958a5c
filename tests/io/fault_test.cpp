// Breaks a save at its system calls with strace: killed before each one, and each write-side call failing. Whatever
// happens, a load finds the old or the new checkpoint whole, and failures are reported, cleaned up and named.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "io/io_support.hpp"
#include "io/process.hpp"
#include "minnow/io/checkpoint.hpp"
#include "support/sanitizers.hpp"

namespace minnow {
namespace {

using test::Outcome;
using test::run_command;
using test::TempDir;
using test::ToyState;
using testing::HasSubstr;

struct SystemCall {
  std::string name;
  int ordinal = 0;  // among the calls of this name since the start of the process
  std::string line;
};

constexpr const char* kBegin = "/minnow-save-begins";

class SaveFaults : public testing::Test {
 protected:
  void SetUp() override {
    if (test::kSanitized) GTEST_SKIP() << "a sanitizer does not run under strace";
    const Outcome outcome = traced("trace=uname", run_ / "probe", 1);
    if (outcome.code != 0) GTEST_SKIP() << "strace is missing or may not trace here: " << outcome.output;
  }

  // Runs `io_tool save RUN STEP 2` under strace with one fault.
  Outcome traced(const std::string& fault, const std::filesystem::path& run, std::int64_t step) {
    return run_command({"strace", "-f", "-qq", "-o", log().string(), "-e", "signal=none", "-e", fault, MINNOW_IO_TOOL,
                        "save", run.string(), std::to_string(step), "2"});
  }

  std::filesystem::path log() const { return run_ / "strace.log"; }

  // A run with the steps 1 (best), 2 and 3; a save of 4 with 2 kept then removes 2.
  std::filesystem::path fresh_run() {
    const std::filesystem::path run = run_ / ("run" + std::to_string(count_++));
    for (std::int64_t step = 1; step <= 3; ++step) test::save(run, step);
    mark_best(run, 1);
    return run;
  }

  // The system calls of a save, from the mark to the end of the process.
  std::vector<SystemCall> calls_of_a_save() {
    const Outcome outcome = traced("trace=all", fresh_run(), 4);
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    std::vector<SystemCall> calls;
    std::map<std::string, int> counts;
    bool begun = false;
    std::istringstream lines(test::slurp(log()));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t begin = line.find_first_not_of("0123456789 ");
      const std::size_t end = line.find('(');
      if (begin == std::string::npos || end == std::string::npos || end < begin) continue;
      const std::string name = line.substr(begin, end - begin);
      const int ordinal = ++counts[name];
      if (begun) calls.push_back({name, ordinal, line});
      begun = begun || line.find(kBegin) != std::string::npos;
    }
    return calls;
  }

  // The newest whole checkpoint is the old or the new one, with the right content, and nothing old is damaged.
  static void expect_whole(const std::filesystem::path& run, const std::string& what) {
    std::vector<std::string> warnings;
    const auto newest = open_newest_valid(run, warnings);
    ASSERT_TRUE(newest.has_value()) << what;
    EXPECT_TRUE(newest->step() == 3 || newest->step() == 4) << what;
    EXPECT_TRUE(ToyState(newest->step()).equals(*newest)) << what;
    EXPECT_THAT(warnings, testing::IsEmpty()) << what;
    EXPECT_TRUE(verify_checkpoint(checkpoint_directory(run, 1)).ok()) << what;
    EXPECT_TRUE(verify_checkpoint(checkpoint_directory(run, 3)).ok()) << what;
    const auto latest = latest_step(run);
    ASSERT_TRUE(latest.has_value()) << what;
    EXPECT_TRUE(verify_checkpoint(checkpoint_directory(run, *latest)).ok()) << what;
    // Only once the new one is durable and `latest` names it may the oldest go.
    const bool second_is_whole = verify_checkpoint(checkpoint_directory(run, 2)).ok();
    EXPECT_TRUE(latest == 4 || second_is_whole) << what;
  }

  // A later save by another process works, removes what the dead one left, and rotates.
  static void expect_next_save_works(const std::filesystem::path& run, const std::string& what) {
    test::save(run, 5, {.keep = 2});
    EXPECT_THAT(test::temporaries(run), testing::IsEmpty()) << what;
    std::vector<std::string> warnings;
    EXPECT_EQ(open_newest_valid(run, warnings)->step(), 5) << what;
  }

  TempDir run_;
  int count_ = 0;
};

TEST_F(SaveFaults, KilledBeforeEverySystemCall) {
  const std::vector<SystemCall> calls = calls_of_a_save();
  ASSERT_GT(calls.size(), 50U);
  for (const SystemCall& call : calls) {
    if (call.name == "exit_group") continue;
    const std::filesystem::path run = fresh_run();
    const Outcome outcome = traced("inject=" + call.name + ":signal=KILL:when=" + std::to_string(call.ordinal), run, 4);
    EXPECT_EQ(outcome.code, 128 + SIGKILL) << call.line << outcome.output;
    expect_whole(run, call.line);
    expect_next_save_works(run, call.line);
    if (HasFailure()) return;
    std::filesystem::remove_all(run);
  }
  RecordProperty("system_calls", static_cast<int>(calls.size()));
}

// Calls whose failure only leaves something behind that the next save removes: the save itself is whole.
bool is_cleaning(const SystemCall& call) { return call.name == "unlink" || call.name == "rmdir"; }

bool is_write_side(const SystemCall& call) {
  static const std::set<std::string> names{"mkdir", "write", "fsync", "rename", "unlink", "rmdir", "close"};
  if (call.name == "openat") return call.line.find(".minnow-tmp") != std::string::npos;
  return names.count(call.name) > 0;
}

// What must be true after one write-side call of a save failed with an error.
void expect_reported(const SystemCall& call, const Outcome& outcome, const std::string& error,
                     const std::filesystem::path& run) {
  const std::string what = error + " in " + call.line + "\n" + outcome.output;
  if (outcome.code == 0) {
    // A failed close of what was only read loses nothing, nor does a removal that the next save takes up again.
    EXPECT_TRUE(is_cleaning(call) || call.name == "close" || call.name == "rename" || call.name == "openat") << what;
    EXPECT_EQ(latest_step(run), 4) << what;
    return;
  }
  EXPECT_EQ(outcome.code, 5) << what;
  EXPECT_THAT(outcome.output, HasSubstr(error == "EIO" ? "Input/output error" : "No space left on device")) << what;
  EXPECT_THAT(outcome.output, HasSubstr(run.string())) << what;
  EXPECT_THAT(test::temporaries(run), testing::IsEmpty()) << what;
}

TEST_F(SaveFaults, EveryWriteSideCallFails) {
  int faults = 0;
  for (const SystemCall& call : calls_of_a_save()) {
    if (!is_write_side(call)) continue;
    for (const std::string error : {"ENOSPC", "EIO"}) {
      const std::filesystem::path run = fresh_run();
      const std::string fault = "inject=" + call.name + ":error=" + error + ":when=" + std::to_string(call.ordinal);
      const Outcome outcome = traced(fault, run, 4);
      expect_whole(run, fault + call.line);
      expect_reported(call, outcome, error, run);
      expect_next_save_works(run, fault + call.line);
      ++faults;
      if (HasFailure()) return;
      std::filesystem::remove_all(run);
    }
  }
  EXPECT_GT(faults, 60);
}

// The fault stays from one call on: cleaning may fail too, so temporaries may remain; the next save removes them.
TEST_F(SaveFaults, SlowEveryWriteSideCallFailsForGood) {
  for (const SystemCall& call : calls_of_a_save()) {
    if (!is_write_side(call)) continue;
    for (const std::string error : {"ENOSPC", "EIO", "EDQUOT"}) {
      const std::filesystem::path run = fresh_run();
      const std::string fault =
          "inject=" + call.name + ":error=" + error + ":when=" + std::to_string(call.ordinal) + "+";
      const Outcome outcome = traced(fault, run, 4);
      EXPECT_TRUE(outcome.code == 5 || (outcome.code == 0 && latest_step(run) == 4)) << fault << outcome.output;
      expect_whole(run, fault + call.line);
      expect_next_save_works(run, fault + call.line);
      if (HasFailure()) return;
      std::filesystem::remove_all(run);
    }
  }
}

TEST_F(SaveFaults, InterruptedCallsAreTakenUpAgain) {
  for (const SystemCall& call : calls_of_a_save()) {
    if (!is_write_side(call) || (call.name != "write" && call.name != "fsync" && call.name != "openat")) continue;
    const std::filesystem::path run = fresh_run();
    const Outcome outcome = traced("inject=" + call.name + ":error=EINTR:when=" + std::to_string(call.ordinal), run, 4);
    EXPECT_EQ(outcome.code, 0) << call.line << outcome.output;
    EXPECT_EQ(latest_step(run), 4) << call.line;
    std::filesystem::remove_all(run);
  }
}

}  // namespace
}  // namespace minnow
