#include "cli/line_editor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/chat_history.hpp"

namespace minnow::cli {
namespace {

constexpr std::string_view kPasteOn = "\x1b[?2004h";  // pasted line feeds come as text
constexpr std::string_view kPasteOff = "\x1b[?2004l";
constexpr std::string_view kClearBelow = "\x1b[J";
constexpr std::string_view kClearScreen = "\x1b[H\x1b[2J";

std::string up(int rows) { return rows > 0 ? fmt::format("\x1b[{}A", rows) : ""; }

}  // namespace

LineEnd LineEditor::read(std::string_view prompt, std::string& line) {
  prompt_ = prompt;
  buffer_ = {};
  draft_.clear();
  shown_ = history_.size();
  cursor_row_ = 0;
  device_.write(kPasteOn);
  for (;;) {
    draw();
    const KeyPress press = read_key(device_.read);
    const bool ends = press.key == PressedKey::kEndOfFile && buffer_.empty();
    if (press.key == PressedKey::kClosed || ends) {
      leave("");
      return LineEnd::kEndOfFile;
    }
    if (press.key == PressedKey::kInterrupt) {
      leave("^C");
      return LineEnd::kInterrupted;
    }
    if (press.key == PressedKey::kEnter) {
      leave("");
      line = buffer_.text();
      remember(line);
      return LineEnd::kEntered;
    }
    if (press.key == PressedKey::kSuspend) {
      leave("^Z");
      device_.suspend();
      device_.write(kPasteOn);
    }
    edit(press);
  }
}

void LineEditor::edit(const KeyPress& press) {
  switch (press.key) {
    case PressedKey::kText:
      return buffer_.insert(press.text);
    case PressedKey::kLeft:
      return buffer_.left();
    case PressedKey::kRight:
      return buffer_.right();
    case PressedKey::kWordLeft:
      return buffer_.word_left();
    case PressedKey::kWordRight:
      return buffer_.word_right();
    case PressedKey::kHome:
      return buffer_.home();
    case PressedKey::kEnd:
      return buffer_.end();
    case PressedKey::kUp:
      return walk(-1);
    case PressedKey::kDown:
      return walk(+1);
    case PressedKey::kEraseLeft:
      return buffer_.erase_left();
    case PressedKey::kEraseRight:
    case PressedKey::kEndOfFile:  // on a line that is not empty
      return buffer_.erase_right();
    case PressedKey::kKillWord:
      return buffer_.kill_word();
    case PressedKey::kKillToStart:
      return buffer_.kill_to_start();
    case PressedKey::kKillToEnd:
      return buffer_.kill_to_end();
    case PressedKey::kYank:
      return buffer_.yank();
    case PressedKey::kClear:
      device_.write(kClearScreen);
      cursor_row_ = 0;
      return;
    default:
      return;
  }
}

// The whole line is written anew: short enough, and right whatever was there.
void LineEditor::draw() {
  const int columns = std::max(2, device_.columns());
  const std::string all = prompt_ + buffer_.text();
  const ScreenPlace end = place_behind(all, columns);
  const ScreenPlace cursor = place_behind(prompt_ + std::string(buffer_.before()), columns);
  std::string out = up(cursor_row_) + "\r" + std::string(kClearBelow) + all;
  // A terminal stays in the last column until one more character comes.
  if (end.column == 0 && end.row > 0 && !all.ends_with('\n')) out += '\n';
  out += up(end.row - cursor.row) + "\r";
  if (cursor.column > 0) out += fmt::format("\x1b[{}C", cursor.column);
  device_.write(out);
  cursor_row_ = cursor.row;
}

void LineEditor::leave(std::string_view mark) {
  buffer_.end();
  draw();
  device_.write(fmt::format("{}{}\n", mark, kPasteOff));
  cursor_row_ = 0;
}

void LineEditor::walk(int direction) {
  if ((direction < 0 && shown_ == 0) || (direction > 0 && shown_ == history_.size())) return;
  if (shown_ == history_.size()) draft_ = buffer_.text();
  shown_ += direction < 0 ? std::size_t(-1) : std::size_t(1);
  buffer_.set(shown_ == history_.size() ? draft_ : history_[shown_]);
}

void LineEditor::remember(const std::string& line) {
  if (line.empty() || (!history_.empty() && history_.back() == line)) return;
  if (history_.size() >= kHistoryLines) history_.erase(history_.begin());
  history_.push_back(line);
}

}  // namespace minnow::cli
