#include "report/canvas.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

constexpr int kDotsAcross = 2, kDotsDown = 4;  // of a braille character
constexpr char32_t kBraille = 0x2800;          // Source: The Unicode Standard, chart U2800

unsigned bit_of(int x, int y) {
  constexpr std::array<std::array<unsigned, kDotsAcross>, kDotsDown> kBits = {
      {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
  return kBits[static_cast<std::size_t>(y % kDotsDown)][static_cast<std::size_t>(x % kDotsAcross)];
}

}  // namespace

std::string_view color_code(int index) {
  constexpr std::array<std::string_view, 6> kCodes = {"\x1b[36m", "\x1b[33m", "\x1b[35m",
                                                      "\x1b[32m", "\x1b[34m", "\x1b[31m"};
  return kCodes[static_cast<std::size_t>(index) % kCodes.size()];
}

Canvas::Canvas(int columns, int rows, bool dots)
    : columns_(columns),
      rows_(rows),
      dots_(dots),
      cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

Canvas::Cell& Canvas::at(int column, int row) {
  const int inside_column = std::clamp(column, 0, columns_ - 1);
  const int inside_row = std::clamp(row, 0, rows_ - 1);
  return cells_[static_cast<std::size_t>(inside_row) * static_cast<std::size_t>(columns_) +
                static_cast<std::size_t>(inside_column)];
}

void Canvas::dot(int x, int y, char mark, int color) {
  Cell& cell = dots_ ? at(x / kDotsAcross, y / kDotsDown) : at(x, y);
  if (dots_) {
    cell.dots |= bit_of(x, y);
  } else {
    cell.text = mark;
  }
  cell.color = color;
}

void Canvas::line(int x0, int y0, int x1, int y1, char mark, int color) {
  const int steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
  for (int i = 0; i <= steps; ++i) {
    const auto between = [&](int from, int to) {  // rounded to the nearest dot
      return from + (2 * (to - from) * i + (to >= from ? steps : -steps)) / (2 * steps);
    };
    dot(between(x0, x1), between(y0, y1), mark, color);
  }
}

void Canvas::mark(int x, int y, std::string_view text, int color) {
  Cell& cell = dots_ ? at(x / kDotsAcross, y / kDotsDown) : at(x, y);
  cell.text = text;
  cell.color = color;
}

std::string Canvas::row(int row, bool color) const {
  std::string text;
  int current = -1;
  for (int column = 0; column < columns_; ++column) {
    const Cell& cell =
        cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column)];
    const bool blank = cell.text.empty() && cell.dots == 0;
    const int wanted = blank ? current : cell.color;
    if (color && wanted != current) {
      text += color_code(wanted);
      current = wanted;
    }
    if (!cell.text.empty()) {
      text += cell.text;
    } else if (blank) {
      text += ' ';
    } else {
      append_utf8(text, kBraille + cell.dots);
    }
  }
  const std::size_t end = text.find_last_not_of(' ');
  text.erase(end == std::string::npos ? 0 : end + 1);
  if (current >= 0) text += "\x1b[0m";
  return text;
}

}  // namespace minnow
