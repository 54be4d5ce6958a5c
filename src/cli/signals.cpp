#include "cli/signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <string_view>

#include "minnow/base/mapped_file.hpp"

namespace minnow::cli {
namespace {

std::atomic<int> stop_requested{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not wait for a lock");

constexpr int kSignalBase = 128;  // shells report a death by signal n as 128 + n

/// Only async-signal-safe calls are allowed here.
extern "C" void on_stop_signal(int number) {
  int expected = 0;
  if (stop_requested.compare_exchange_strong(expected, number)) return;
  // When a terminal closes, both the kernel and the shell say so, and a limit is said every second: no
  // second wish of a person.
  if (number == SIGHUP || number == SIGXCPU) return;
  constexpr std::string_view kText = "\nminnow: second signal, leaving at once; the last checkpoint is intact\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText.data(), kText.size());
  ::_exit(kSignalBase + number);
}

}  // namespace

void prepare_process() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond ulimit -f fails with a message instead
  survive_cut_files();            // so does reading data that somebody cuts
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest free number is taken, and all lower ones are open by now.
    [[maybe_unused]] const int opened = ::open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY);
  }
}

void install_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;  // a save in progress must not see EINTR
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGXCPU, &action, nullptr);  // the soft limit of ulimit -t; the hard one kills
  struct sigaction before {};
  ::sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);  // nohup: the run outlives its terminal
}

const std::atomic<int>& stop_signal() { return stop_requested; }

int stop_exit_code() {
  const int number = stop_requested.load();
  return number == 0 ? 0 : kSignalBase + number;
}

}  // namespace minnow::cli
