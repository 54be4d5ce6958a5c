#pragma once
/// @file
/// Turns the bytes that a terminal sends into keys.

#include <functional>
#include <string>

namespace minnow::cli {

/// What a key, or several that do the same, asks for.
enum class PressedKey {
  kText,  ///< a character, or text that was pasted
  kEnter,
  kInterrupt,  ///< Ctrl-C
  kEndOfFile,  ///< Ctrl-D
  kSuspend,    ///< Ctrl-Z
  kClear,      ///< Ctrl-L
  kLeft,
  kRight,
  kWordLeft,
  kWordRight,
  kHome,
  kEnd,
  kUp,
  kDown,
  kEraseLeft,
  kEraseRight,
  kKillWord,
  kKillToStart,
  kKillToEnd,
  kYank,
  kNothing,  ///< a key without a meaning
  kClosed,   ///< the terminal is gone, or a signal ends the program
};

struct KeyPress {
  PressedKey key = PressedKey::kNothing;
  std::string text{};  ///< of kText, valid UTF-8
};

inline constexpr int kNoByte = -1;    ///< none came in time
inline constexpr int kNoDevice = -2;  ///< none will come

/// Gives the next byte, or kNoByte after so many milliseconds (negative: waits), or kNoDevice.
using ByteSource = std::function<int(int milliseconds)>;

/// Waits for a key. Knows the control characters of Emacs and readline, the sequences of xterm and what is like it, and
/// bracketed paste.
[[nodiscard]] KeyPress read_key(const ByteSource& next);

}  // namespace minnow::cli
