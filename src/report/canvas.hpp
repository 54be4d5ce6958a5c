#pragma once
/// @file
/// A grid of characters to draw on: braille dots, or one mark per character.

#include <string>
#include <string_view>
#include <vector>

namespace minnow {

/// Dots are addressed from the upper left corner.
class Canvas {
 public:
  /// @param dots 2 x 4 braille dots per character instead of one mark per character
  Canvas(int columns, int rows, bool dots);

  [[nodiscard]] int dot_columns() const { return columns_ * (dots_ ? 2 : 1); }
  [[nodiscard]] int dot_rows() const { return rows_ * (dots_ ? 4 : 1); }

  /// Sets a dot; without braille `mark` stands there.
  void dot(int x, int y, char mark, int color);
  /// Draws a straight line of dots, both ends included.
  void line(int x0, int y0, int x1, int y1, char mark, int color);
  /// Puts a whole character over the dot (x, y).
  void mark(int x, int y, std::string_view text, int color);

  /// @return row `row` as text. @param color with ANSI codes
  [[nodiscard]] std::string row(int row, bool color) const;

 private:
  struct Cell {
    unsigned dots = 0;  // bits of U+2800
    std::string text;   // replaces the dots when not empty
    int color = -1;
  };
  [[nodiscard]] Cell& at(int column, int row);

  int columns_, rows_;
  bool dots_;
  std::vector<Cell> cells_;
};

/// @return the ANSI code that starts colour number `index` of a cycle.
[[nodiscard]] std::string_view color_code(int index);

}  // namespace minnow
