#include "cases/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace minnow::cases {
namespace {

std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const auto& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> full_environment(const std::vector<std::string>& extra) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('=') + 1);
    bool replaced = false;
    for (const auto& other : extra) replaced = replaced || other.starts_with(name);
    if (!replaced) all.push_back(text);
  }
  all.insert(all.end(), extra.begin(), extra.end());
  return all;
}

pid_t start(const ProcessRequest& request, const std::filesystem::path& in, const std::filesystem::path& out,
            const std::filesystem::path& err) {
  constexpr mode_t kMode = 0600;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kMode);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kMode);
  posix_spawn_file_actions_addchdir_np(&actions, request.folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // so that a shell's children end with it
  const auto environment = full_environment(request.environment);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, request.words.front().c_str(), &actions, &attributes,
                                pointers(request.words).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) throw std::runtime_error(fmt::format("cannot start {}: error {}", request.words.front(), error));
  return pid;
}

/// @return whether the process ended by itself; it is killed otherwise.
bool wait_for(pid_t pid, double timeout_s, int& status) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
  auto pause = std::chrono::microseconds(500);
  constexpr auto kLongestPause = std::chrono::microseconds(20000);
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > limit) {
      ::kill(-pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
  return true;
}

}  // namespace

ProcessResult run_process(const ProcessRequest& request) {
  const auto in = request.scratch / "stdin";
  const auto out = request.scratch / "stdout";
  const auto err = request.scratch / "stderr";
  std::ofstream(in, std::ios::binary) << request.input;
  const pid_t pid = start(request, in, out, err);
  ProcessResult result;
  int status = 0;
  result.timed_out = !wait_for(pid, request.timeout_s, status);
  constexpr int kSignalBase = 128;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
  result.out = slurp(out);
  result.err = slurp(err);
  return result;
}

}  // namespace minnow::cases
