#include "cli/live_screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>

#include "cli/signals.hpp"
#include "cli/terminal.hpp"

namespace minnow::cli {
namespace {

constexpr std::string_view kEnter =
    "\x1b[?1049h\x1b[?25l";  // second screen, no cursor. Source: xterm control sequences
constexpr std::string_view kLeave = "\x1b[?25h\x1b[?1049l";
constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kEraseLine = "\x1b[K";
constexpr std::string_view kEraseBelow = "\x1b[J";
constexpr int kMost = 1000;  // columns and rows

std::atomic<bool> window_changed{false};

extern "C" void on_window_signal(int /*number*/) { window_changed = true; }

/// The second screen, for as long as the object lives.
class SecondScreen {
 public:
  SecondScreen() {
    print_result(kEnter);
    flush_results();
  }
  ~SecondScreen() {
    // The way back must work even where stdout has gone: nothing may throw here.
    [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, kLeave.data(), kLeave.size());
  }
  SecondScreen(const SecondScreen&) = delete;
  SecondScreen& operator=(const SecondScreen&) = delete;
  SecondScreen(SecondScreen&&) = delete;
  SecondScreen& operator=(SecondScreen&&) = delete;
};

int positive(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  const int value = text == nullptr ? 0 : std::atoi(text);
  return value > 0 ? std::min(value, kMost) : otherwise;
}

/// Overwrites line by line instead of clearing first, which would flicker.
void show(const std::string& text, ScreenSize size) {
  std::string frame(kHome);
  int row = 0;
  for (std::size_t begin = 0; begin < text.size() && row < size.rows; ++row) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (row > 0) frame += "\r\n";
    frame += cut_to_width(std::string_view(text).substr(begin, end - begin), size.columns);
    frame += kEraseLine;
    begin = end + 1;
  }
  frame += kEraseBelow;
  print_result(frame);
  flush_results();
}

/// Sleeps; a signal ends it early.
void pause_for(std::chrono::milliseconds time) {
  timespec wait{};
  wait.tv_sec = static_cast<std::time_t>(time.count() / 1000);
  wait.tv_nsec = static_cast<long>(time.count() % 1000) * 1'000'000;
  ::nanosleep(&wait, nullptr);
}

}  // namespace

ScreenSize screen_size() {
  winsize size{};
  constexpr int kRows = 24, kColumns = 80;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    return {std::min<int>(size.ws_col, kMost), std::min<int>(size.ws_row, kMost)};
  }
  return {positive("COLUMNS", kColumns), positive("LINES", kRows)};
}

int follow_screen(const LiveContent& content) {
  install_stop_signals();
  struct sigaction action {};
  action.sa_handler = on_window_signal;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGWINCH, &action, nullptr);
  const SecondScreen screen;
  window_changed = true;
  while (stop_signal() == 0) {
    if (window_changed.exchange(false) || content.changed()) {
      const ScreenSize size = screen_size();
      show(content.draw(size), size);
    }
    if (!window_changed && stop_signal() == 0) pause_for(content.pause);
  }
  return stop_exit_code();
}

}  // namespace minnow::cli
