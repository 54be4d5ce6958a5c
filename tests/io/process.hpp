#pragma once
/// @file
/// Starts programs with pipes to and from them (through posix_spawn) and ends only what it started.

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace minnow::test {

/// A running child: its standard input and output are pipes, errors go to the same pipe as output.
class Process {
 public:
  explicit Process(const std::vector<std::string>& command) {
    int to_child[2], from_child[2];
    if (::pipe2(to_child, O_CLOEXEC) != 0 || ::pipe2(from_child, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to_child[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from_child[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from_child[1], STDERR_FILENO);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int failed = ::posix_spawnp(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(to_child[0]);
    ::close(from_child[1]);
    input_ = to_child[1];
    output_ = from_child[0];
    if (failed != 0) pid_ = -1;
  }
  ~Process() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      (void)wait();
    }
    close_input();
    ::close(output_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void send(int signal_number) const {
    if (pid_ > 0) ::kill(pid_, signal_number);
  }
  void close_input() {
    if (input_ >= 0) ::close(std::exchange(input_, -1));
  }

  /// @return the next line of output without its newline, or "" at the end.
  std::string read_line() {
    std::string line;
    char letter = 0;
    while (::read(output_, &letter, 1) == 1 && letter != '\n') line += letter;
    return line;
  }

  /// @return all further output.
  std::string read_all() {
    std::string text;
    char piece[4096];
    for (ssize_t got = 0; (got = ::read(output_, piece, sizeof(piece))) > 0;) {
      text.append(piece, static_cast<std::size_t>(got));
    }
    return text;
  }

  /// Waits for the end. @return the exit code, 128 + n if signal n ended it, -1 if it could not be started
  int wait() {
    if (pid_ <= 0) return -1;
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
};

struct Outcome {
  int code = 0;
  std::string output;
};

/// Runs a command to its end.
inline Outcome run_command(const std::vector<std::string>& command) {
  Process process(command);
  process.close_input();
  Outcome outcome;
  outcome.output = process.read_all();
  outcome.code = process.wait();
  return outcome;
}

}  // namespace minnow::test
