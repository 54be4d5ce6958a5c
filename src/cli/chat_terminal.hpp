#pragma once
/// @file
/// Holds the terminal while a chat runs on it: no echo while answers are written, signals that do not end the program.

#include <memory>

#include "cli/line_editor.hpp"

namespace minnow::cli {

/// One at a time. While it lives, Ctrl-C only sets interrupted(), and SIGTERM or SIGHUP set ended(); its end gives the
/// terminal back as it was.
class ChatTerminal {
 public:
  ChatTerminal();
  ~ChatTerminal();
  ChatTerminal(const ChatTerminal&) = delete;
  ChatTerminal& operator=(const ChatTerminal&) = delete;

  /// @return the terminal for a LineEditor, on stdin and stdout.
  [[nodiscard]] EditorDevice device();

  /// While a line is edited Ctrl-C and Ctrl-Z are keys; else they are signals.
  void begin_editing();
  void end_editing();

  /// @return whether Ctrl-C was pressed since begin_editing() or forget_interrupt().
  [[nodiscard]] static bool interrupted();
  static void forget_interrupt();
  /// @return 0, or the signal that ends the program.
  [[nodiscard]] static int ended();

  /// @return whether stdin and stdout are a terminal that can be drawn on.
  [[nodiscard]] static bool usable();

 private:
  struct Saved;
  std::unique_ptr<Saved> saved_;
};

}  // namespace minnow::cli
