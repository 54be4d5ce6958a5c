#pragma once
/// @file
/// Letters made of pixels, for pictures that must not depend on the fonts of a machine.

#include <array>
#include <cstdint>

namespace minnow {

inline constexpr int kGlyphWidth = 5;    ///< pixels; the next character begins one further
inline constexpr int kGlyphAscent = 9;   ///< rows above the foot of capitals: 7 of a letter, 2 for an accent
inline constexpr int kGlyphDescent = 2;  ///< rows below it
inline constexpr int kGlyphRows = kGlyphAscent + kGlyphDescent;

/// Bit 4 is the left pixel.
using Glyph = std::array<std::uint8_t, kGlyphRows>;

/// @return the picture of a character: ASCII, Latin-1 letters and the marks of visible_token(); of any other a box
/// whose inner pixels are its number in binary: two different characters look different.
[[nodiscard]] Glyph glyph_of(char32_t c);

}  // namespace minnow
