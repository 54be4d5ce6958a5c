#include "cli/standard_input.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/human.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/file.hpp"

namespace minnow::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kInputBlock = std::size_t{1} << 20;

/// A signal came while reading.
class InputStopped : public std::exception {};

/// @return bytes read into `block`; 0 at the end. Throws: InputStopped, IoError.
std::size_t read_input(std::string& block) {
  constexpr int kLookMilliseconds = 200;  // how often signals are looked at while nothing comes
  for (;;) {
    if (stop_signal().load() != 0) throw InputStopped();
    struct pollfd input {
      STDIN_FILENO, POLLIN, 0
    };
    const int ready = ::poll(&input, 1, kLookMilliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = ::read(STDIN_FILENO, block.data(), block.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR && errno != EAGAIN)
      throw IoError(fmt::format("[data] standard input must be readable; got \"{}\"", std::strerror(errno)));
  }
}

void write_input(ByteSink& sink, std::string& block, std::size_t first) {
  constexpr double kSilentSeconds = 1;
  ProgressLine line = ProgressLine::on_stderr(0, 0, "byte", kSilentSeconds);
  std::int64_t bytes = 0;
  for (std::size_t got = first; got > 0; got = read_input(block)) {
    sink.write(std::string_view(block).substr(0, got));
    bytes += static_cast<std::int64_t>(got);
    line.update(bytes, "");
  }
  line.finish();
}

}  // namespace

void note_terminal_input() {
  if (is_terminal(STDIN_FILENO))
    print_line("reading the text from this terminal; Ctrl-D at the beginning of a line ends it");
}

bool keep_standard_input(const std::filesystem::path& path) {
  note_terminal_input();
  try {
    std::string block(kInputBlock, '\0');
    const std::size_t first = read_input(block);
    if (first == 0) {
      throw DataError(
          "[data] standard input must hold the text; it is empty. Hint: `cat my.txt | minnow ...`, or name a file "
          "instead of -");
    }
    if (path.has_parent_path()) make_directories(path.parent_path());
    write_file_atomic(path, [&](ByteSink& sink) { write_input(sink, block, first); });
  } catch (const InputStopped&) {
    return false;
  }
  return true;
}

bool KeptText::keep(const fs::path& path) {
  made_ = MissingDirectories(path.parent_path());
  if (path_exists(path)) {
    before_ = path.parent_path() / fmt::format(".{}.before", path.filename().string());
    remove_file(before_);
    std::error_code unable;  // some file systems have no second names
    fs::create_hard_link(path, before_, unable);
    if (unable) rename_path(path, before_);
  }
  path_ = path;
  return keep_standard_input(path);
}

void KeptText::set_stays() {
  std::error_code ignored;
  if (!before_.empty()) fs::remove(before_, ignored);
  path_.clear();
}

KeptText::~KeptText() {
  if (path_.empty()) return;
  std::error_code ignored;
  before_.empty() ? void(fs::remove(path_, ignored)) : fs::rename(before_, path_, ignored);
  made_.remove_empty();
}

}  // namespace minnow::cli
