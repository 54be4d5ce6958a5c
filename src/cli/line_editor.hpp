#pragma once
/// @file
/// Reads a line from a terminal: moving, erasing, a history, text of any script, lines longer than the screen.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/keys.hpp"
#include "cli/line_buffer.hpp"

namespace minnow::cli {

/// The terminal as the editor sees it: bytes without echo come in, text goes out at once.
struct EditorDevice {
  ByteSource read;
  std::function<void(std::string_view text)> write;
  std::function<int()> columns;   ///< asked anew at every key: the window may change
  std::function<void()> suspend;  ///< stops the process as Ctrl-Z does, and returns when it goes on
};

/// How a line ended.
enum class LineEnd { kEntered, kInterrupted, kEndOfFile };

/// An editor with the history of its lines.
class LineEditor {
 public:
  /// @param earlier lines of before, the newest last
  explicit LineEditor(EditorDevice device, std::vector<std::string> earlier = {})
      : device_(std::move(device)), history_(std::move(earlier)) {}

  /// Shows the prompt and reads a line.
  /// @param prompt text of one line without colour
  /// @param line what was typed, with kEntered
  /// @return kInterrupted after Ctrl-C, which gives the line up; kEndOfFile after Ctrl-D on an empty line.
  [[nodiscard]] LineEnd read(std::string_view prompt, std::string& line);

  /// @return the lines of before and those entered, the newest last; empty ones and repetitions of the one before are
  /// left out.
  [[nodiscard]] const std::vector<std::string>& history() const noexcept { return history_; }

 private:
  void draw();
  /// Leaves the line on the screen as it is, the cursor below it.
  void leave(std::string_view mark);
  void walk(int direction);
  void edit(const KeyPress& press);
  void remember(const std::string& line);

  EditorDevice device_;
  std::string prompt_;
  LineBuffer buffer_;
  std::vector<std::string> history_;
  std::size_t shown_ = 0;  // place in the history; its size is the line that is being typed
  std::string draft_;      // that line while another one is shown
  int cursor_row_ = 0;     // of the cursor on the screen, below the prompt's row
};

}  // namespace minnow::cli
