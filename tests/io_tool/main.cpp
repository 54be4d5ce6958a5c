// Saves, loads and holds runs for tests that watch or break a process from outside. States are made from the step, so
// that a test in another process knows what must be there.
//
//   io_tool save RUN STEP [KEEP]   saves a checkpoint; access("/minnow-save-begins") marks the start in a system call
//   log io_tool loop RUN               saves step 1, 2, 3, ... until it is killed, with 2 kept and metrics logged
//   io_tool hold RUN               takes the lock, prints "held", and waits for the end of its input
//   io_tool measure FILE           reads a safetensors header, prints the growth of the peak memory in bytes
//   io_tool start RUN              as a run with --overwrite starts: lock, clear, first checkpoint, then waits for
//   input

#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>

#include "io/io_support.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/run_lock.hpp"
#include "minnow/io/run_log.hpp"

namespace minnow {
namespace {

void wait_for_end_of_input() {
  char byte = 0;
  while (::read(STDIN_FILENO, &byte, 1) > 0) continue;
}

void say(const std::string& text) { std::cout << text << std::endl; }

int save(const std::filesystem::path& run, std::int64_t step, std::int64_t keep) {
  (void)::access("/minnow-save-begins", F_OK);
  const SaveResult result = test::save(run, step, {.keep = keep});
  for (const std::string& warning : result.warnings) std::cerr << "warning: " << warning << "\n";
  return 0;
}

int loop(const std::filesystem::path& run) {
  const RunLock lock = RunLock::acquire(run);
  std::vector<std::string> warnings;
  const auto found = open_newest_valid(run, warnings);
  const std::int64_t resumed = found ? found->step() : 0;
  MetricsLog log(run / "metrics.jsonl", resumed);
  say("resumed " + std::to_string(resumed));
  for (std::int64_t step = resumed + 1;; ++step) {
    log.append(step, {{"loss", 1.0 / static_cast<double>(step)}});
    test::save(run, step, {.keep = 2, .resumed_step = resumed}, 2000);
  }
}

int hold(const std::filesystem::path& run) {
  const RunLock lock = RunLock::acquire(run);
  say("held");
  wait_for_end_of_input();
  return 0;
}

int start(const std::filesystem::path& run) {
  const RunLock lock = RunLock::acquire(run);
  remove_all_checkpoints(run);
  remove_file(run / "metrics.jsonl");
  write_file_atomic(run / "config.toml", "seed = 1\n");
  MetricsLog(run / "metrics.jsonl").append(0, {});
  test::save(run, 0);
  say("won");
  wait_for_end_of_input();
  return 0;
}

// From /proc: what getrusage tells would begin with the peak of the program that started this one.
long peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  throw IoError("[io_tool] /proc/self/status must name VmHWM");
}

int measure(const std::filesystem::path& file) {
  const long before = peak_bytes();
  const SafetensorsFile opened = SafetensorsFile::open(file);
  say(std::to_string(peak_bytes() - before));
  return opened.header().tensors.size() > 1 ? 0 : 1;
}

int run(int count, char** arguments) {
  if (count < 3) return 2;
  const std::string verb = arguments[1];
  const std::filesystem::path directory = arguments[2];
  if (verb == "save" && count > 3) {
    return save(directory, std::atoll(arguments[3]), count > 4 ? std::atoll(arguments[4]) : 0);
  }
  if (verb == "loop") return loop(directory);
  if (verb == "hold") return hold(directory);
  if (verb == "measure") return measure(directory);
  if (verb == "start") return start(directory);
  return 2;
}

}  // namespace
}  // namespace minnow

int main(int count, char** arguments) {
  signal(SIGXFSZ, SIG_IGN);
  try {
    return minnow::run(count, arguments);
  } catch (const minnow::Error& error) {
    std::cerr << error.what() << "\n";
    return static_cast<int>(error.exit_code());
  } catch (const std::exception& error) {
    std::cerr << "unexpected: " << error.what() << "\n";
    return 1;
  }
}
