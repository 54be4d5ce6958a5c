#pragma once
/// @file
/// Holds the line that is being typed, with its cursor, and says where characters stand on the screen.

#include <cstddef>
#include <string>
#include <string_view>

namespace minnow::cli {

/// @return columns of a character in a terminal: 0 for marks that join the one before, 2 for wide East Asian ones and
/// most emoji, else 1. Independent of the locale. Source: Unicode 15.0, EastAsianWidth.txt, its large blocks.
[[nodiscard]] int columns_of(char32_t code_point);

/// Where the character behind a text stands, counted from where the text begins.
struct ScreenPlace {
  int row = 0, column = 0;
};

/// @return the place behind `text` (valid UTF-8) in lines of `columns`; a line feed begins a row.
[[nodiscard]] ScreenPlace place_behind(std::string_view text, int columns);

/// Valid UTF-8 with a cursor between two characters.
class LineBuffer {
 public:
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] std::string_view before() const { return std::string_view(text_).substr(0, cursor_); }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

  /// Replaces all; the cursor goes to the end.
  void set(std::string text);
  /// Puts text in at the cursor. @param piece valid UTF-8
  void insert(std::string_view piece);

  void left() { cursor_ = left_of(cursor_); }
  void right() { cursor_ = right_of(cursor_); }
  void word_left() { cursor_ = word_left_of(cursor_); }
  void word_right() { cursor_ = word_right_of(cursor_); }
  void home() { cursor_ = 0; }
  void end() { cursor_ = text_.size(); }

  void erase_left() { erase(left_of(cursor_), cursor_); }
  void erase_right() { erase(cursor_, right_of(cursor_)); }
  /// What these three take away, yank() puts in.
  void kill_word() { kill(word_left_of(cursor_), cursor_); }
  void kill_to_start() { kill(0, cursor_); }
  void kill_to_end() { kill(cursor_, text_.size()); }
  void yank() { insert(std::string(killed_)); }

 private:
  [[nodiscard]] std::size_t left_of(std::size_t at) const;
  [[nodiscard]] std::size_t right_of(std::size_t at) const;
  [[nodiscard]] std::size_t word_left_of(std::size_t at) const;
  [[nodiscard]] std::size_t word_right_of(std::size_t at) const;
  void erase(std::size_t begin, std::size_t end);
  void kill(std::size_t begin, std::size_t end);

  std::string text_, killed_;
  std::size_t cursor_ = 0;  // in bytes
};

}  // namespace minnow::cli
