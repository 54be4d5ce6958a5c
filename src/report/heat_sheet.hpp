#pragma once
/// @file
/// Lays out heat maps as boxes and texts, which every format draws in its own way.

#include <string>
#include <vector>

#include "minnow/report/heat_map.hpp"

namespace minnow {

/// A cell of a map; its colour's strength is in (0, 1].
struct SheetCell {
  double x = 0, y = 0, size = 0, strength = 0;
};

/// A frame around a map.
struct SheetFrame {
  double x = 0, y = 0, size = 0;
};

enum class Anchor { kStart, kMiddle, kEnd };
/// Of letters. kOnMiddle: plain in the light scheme, kOnColor in the dark one.
enum class Ink { kPlain, kMuted, kOnMiddle, kOnColor };

/// A text of fixed pitch: a character takes 0.6 of `size`, capitals reach 0.7 above (x, y).
struct SheetText {
  double x = 0, y = 0, size = 10;
  Anchor anchor = Anchor::kStart;
  bool upwards = false;  ///< turned by 90 degrees, reading from below
  Ink ink = Ink::kPlain;
  std::string text;
};

struct HeatSheet {
  double width = 0, height = 0;
  std::vector<SheetCell> cells;
  std::vector<SheetFrame> frames;
  std::vector<SheetText> texts;
};

/// @return how strong a weight's colour is.
[[nodiscard]] double color_strength(float weight);
/// From here on letters on a cell have the background's colour, in the dark scheme and in the light one: there the
/// contrasts of both inks are equal.
inline constexpr double kStrongInDark = 0.57, kStrongInLight = 0.75;

/// @return the text cut to `characters` characters, the last one then an ellipsis.
[[nodiscard]] std::string cut_text(const std::string& text, std::size_t characters);

/// Throws: DataError when there are too many cells.
[[nodiscard]] HeatSheet lay_out(const AttentionMaps& maps, const MapRows& rows);

}  // namespace minnow
