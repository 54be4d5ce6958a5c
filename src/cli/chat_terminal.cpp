#include "cli/chat_terminal.hpp"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "cli/terminal.hpp"

namespace minnow::cli {
namespace {

std::atomic<int> interrupt_seen{0};
std::atomic<int> end_seen{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not wait for a lock");

extern "C" void on_chat_signal(int number) { (number == SIGINT ? interrupt_seen : end_seen).store(number); }

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

int read_byte(int milliseconds) {
  pollfd wanted{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (end_seen.load() != 0) return kNoDevice;
  const int ready = ::poll(&wanted, 1, milliseconds);
  if (end_seen.load() != 0) return kNoDevice;
  if (ready == 0 || (ready < 0 && errno == EINTR)) return kNoByte;
  unsigned char byte = 0;
  const auto count = ready < 0 ? 0 : ::read(STDIN_FILENO, &byte, 1);
  if (count < 0 && errno == EINTR) return kNoByte;
  return count == 1 ? byte : kNoDevice;
}

}  // namespace

struct ChatTerminal::Saved {
  termios modes{};
  std::array<struct sigaction, kSignals.size()> actions{};

  /// @param keys Ctrl-C and Ctrl-Z come as bytes
  void quiet(bool keys) const {
    termios raw = modes;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN | (keys ? ISIG : 0));
    raw.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  }
  void restore() const { ::tcsetattr(STDIN_FILENO, TCSADRAIN, &modes); }
};

ChatTerminal::ChatTerminal() : saved_(std::make_unique<Saved>()) {
  ::tcgetattr(STDIN_FILENO, &saved_->modes);
  struct sigaction action {};
  action.sa_handler = on_chat_signal;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &saved_->actions[i]);
  saved_->quiet(false);
}

ChatTerminal::~ChatTerminal() {
  saved_->restore();
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &saved_->actions[i], nullptr);
}

EditorDevice ChatTerminal::device() {
  const auto write = [](std::string_view text) {
    print_result(text);
    flush_results();
  };
  const auto suspend = [this] {
    saved_->restore();
    ::raise(SIGTSTP);
    saved_->quiet(true);
  };
  return {read_byte, write, [] { return terminal_width(STDOUT_FILENO); }, suspend};
}

void ChatTerminal::begin_editing() {
  saved_->quiet(true);
  forget_interrupt();
}

void ChatTerminal::end_editing() { saved_->quiet(false); }

bool ChatTerminal::interrupted() { return interrupt_seen.load() != 0; }
void ChatTerminal::forget_interrupt() { interrupt_seen.store(0); }
int ChatTerminal::ended() { return end_seen.load(); }

bool ChatTerminal::usable() {
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb" || std::string_view(term).empty();
  return is_terminal(STDIN_FILENO) && is_terminal(STDOUT_FILENO) && !dumb;
}

}  // namespace minnow::cli
