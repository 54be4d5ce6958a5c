#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/called_name.hpp"
#include "cli/log.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow::cli {
namespace {

constexpr int kDefaultWidth = 80;

std::string_view code_of(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kBold:
      return "\x1b[1m";
    case Style::kDim:
      return "\x1b[2m";
    case Style::kRed:
      return "\x1b[31m";
    case Style::kGreen:
      return "\x1b[32m";
    case Style::kYellow:
      return "\x1b[33m";
    case Style::kBlue:
      return "\x1b[34m";
  }
  return "";
}

/// @return the length of the colour code at `at`, 0 if there is none.
std::size_t code_length(std::string_view text, std::size_t at) {
  if (text[at] != '\x1b' || at + 1 >= text.size() || text[at + 1] != '[') return 0;
  const auto end = text.find('m', at);
  return end == std::string_view::npos ? text.size() - at : end - at + 1;
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// Control characters: a terminal obeys them instead of showing them (ISO 6429: C0, DEL and C1).
bool commands(char32_t c) { return c < 0x20 || (c >= 0x7F && c <= 0x9F); }

void print_to_stderr(std::string_view text) {
  [[maybe_unused]] const auto count = std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

bool stdout_refused = false;

[[noreturn]] void refuse_stdout(int code) {
  stdout_refused = true;
  if (code == EPIPE) throw ReaderLeft("[output] the reader of stdout left");
  throw IoError(fmt::format("[output] stdout must take the result; got \"{}\"", std::strerror(code)));
}

}  // namespace

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

int terminal_width(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const int width = columns == nullptr ? 0 : std::atoi(columns);
  constexpr int kWidest = 10000;
  return width > 0 && width <= kWidest ? width : kDefaultWidth;
}

int reading_width(int descriptor) {
  constexpr int kWidest = 110;  // longer lines are hard to read
  const bool known = is_terminal(descriptor) || std::getenv("COLUMNS") != nullptr;
  return known ? std::min(terminal_width(descriptor), kWidest) : kWidest;
}

std::string wrapped(const std::string& text, int columns) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    while (!line.starts_with(' ') && display_width(line) > columns) {
      std::size_t cut = line.rfind(' ', cut_to_width(line, columns + 1).size() - 1);
      if (cut == std::string::npos) cut = line.find(' ');
      if (cut == std::string::npos) break;
      result += line.substr(0, cut) + "\n";
      line.erase(0, cut + 1);
    }
    result += line;
    if (end < text.size()) result += "\n";
    begin = end + 1;
  }
  return result;
}

bool use_color(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");  // no-color.org: any text that is not empty
  const char* term = std::getenv("TERM");
  if (no_color != nullptr && *no_color != '\0') return false;
  if (term != nullptr && std::strcmp(term, "dumb") == 0) return false;
  return is_terminal(descriptor);
}

std::string styled(std::string_view text, Style style, bool color) {
  if (!color || style == Style::kPlain) return std::string(text);
  return fmt::format("{}{}\x1b[0m", code_of(style), text);
}

void print_result(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) refuse_stdout(errno);
}

void flush_results() {
  if (stdout_refused) return;  // said before
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) refuse_stdout(errno);
}

void print_line(std::string_view text) { print_to_stderr(fmt::format("{}\n", text)); }

void print_error(std::string_view text) { log_line(LogLevel::kError, printable(as_called(text))); }

void print_warning(std::string_view text) { log_line(LogLevel::kWarning, printable(as_called(text))); }

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step next = read_utf8(text, at);
    const bool plain = next.valid && (next.code_point == '\n' || next.code_point == '\t' || !commands(next.code_point));
    for (std::size_t i = at; !plain && i < at + next.length; ++i) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    }
    if (plain) shown += text.substr(at, next.length);
    at += next.length;
  }
  return shown;
}

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (const auto length = code_length(text, at); length > 0) {
      at += length;
      continue;
    }
    width += begins_character(text[at]) ? 1 : 0;
    ++at;
  }
  return width;
}

std::string cut_to_width(std::string_view text, int columns) {
  if (display_width(text) <= columns) return std::string(text);
  std::string cut;
  int width = 0;
  bool colored = false;
  for (std::size_t at = 0; at < text.size();) {
    if (const auto length = code_length(text, at); length > 0) {
      cut += text.substr(at, length);
      colored = true;
      at += length;
      continue;
    }
    if (begins_character(text[at]) && ++width > columns) break;
    cut += text[at++];
  }
  return colored ? cut + "\x1b[0m" : cut;
}

}  // namespace minnow::cli
