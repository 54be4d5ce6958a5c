#pragma once
/// @file
/// Sorts characters into the few classes that the split patterns of byte-pair encodings tell apart.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace minnow {

/// Letter: \p{L}, number: \p{N}, space: the Unicode property White_Space (\s), other: everything else, marks and
/// ill-formed bytes included.
enum class CharClass : std::uint8_t { kLetter, kNumber, kSpace, kOther };

/// Source of the classes: Unicode 15 from utf8proc, and the letters and numbers that Unicode 16 added.
[[nodiscard]] CharClass class_of(char32_t code_point) noexcept;

/// One character or one ill-formed sequence (as read_utf8 steps).
struct ClassStep {
  CharClass what = CharClass::kOther;
  std::uint8_t length = 1;  ///< bytes
};

/// @return the character at `position` (< text.size()) that is not ASCII.
[[nodiscard]] ClassStep read_wide_class(std::string_view text, std::size_t position) noexcept;

namespace char_class {
/// The classes of U+0000 .. U+007F.
struct AsciiTable {
  CharClass classes[128];
};
consteval AsciiTable make_ascii_table() {
  AsciiTable table{};
  for (unsigned c = 0; c < 128; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool number = c >= '0' && c <= '9';
    const bool space = c == ' ' || (c >= 0x09 && c <= 0x0D);
    table.classes[c] = letter   ? CharClass::kLetter
                       : number ? CharClass::kNumber
                       : space  ? CharClass::kSpace
                                : CharClass::kOther;
  }
  return table;
}
inline constexpr AsciiTable kAscii = make_ascii_table();
}  // namespace char_class

/// @return the character at `position` (< text.size()).
[[nodiscard]] inline ClassStep read_class(std::string_view text, std::size_t position) noexcept {
  const auto byte = static_cast<std::uint8_t>(text[position]);
  if (byte < 0x80) return {char_class::kAscii.classes[byte], 1};
  return read_wide_class(text, position);
}

/// @return whether a character is of \w, a part of a word: alphabetic, a mark, a decimal digit, a connector such as _
/// or a joiner. Source: Unicode Technical Standard 18, annex C.
[[nodiscard]] bool is_word_character(char32_t code_point) noexcept;

}  // namespace minnow
