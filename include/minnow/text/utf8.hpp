#pragma once
/// @file
/// Reads and writes UTF-8 without ever trusting it: every byte string is a sequence of code points and of errors.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace minnow {

/// U+FFFD, what stands for bytes that are not UTF-8.
inline constexpr char32_t kReplacementCharacter = 0xFFFD;

/// One step through a byte string.
struct Utf8Step {
  char32_t code_point = kReplacementCharacter;  ///< the character, U+FFFD when not valid
  std::uint8_t length = 1;                      ///< bytes consumed, 1 .. 4
  bool valid = false;                           ///< the bytes are one well-formed character
  bool truncated = false;                       ///< not valid, but more bytes at the end could still make it valid
};

/// Reads the character that starts at `position` (< text.size()). Ill-formed bytes are consumed by the maximal subpart
/// rule: the longest prefix of a well-formed character counts as one error, any other bad byte as one error of its own
/// (what Python's errors="replace" and browsers do). Surrogates, overlong forms and values above U+10FFFF are errors.
/// Source: The Unicode Standard 15.0, section 3.9, table 3-7 and "U+FFFD substitution of maximal subparts".
[[nodiscard]] Utf8Step read_utf8(std::string_view text, std::size_t position) noexcept;

/// Appends a code point (a scalar value, not a surrogate) as UTF-8.
void append_utf8(std::string& text, char32_t code_point);

/// @return `text` with each error replaced by U+FFFD; always valid UTF-8.
[[nodiscard]] std::string replace_invalid_utf8(std::string_view text);

/// @return the number of steps read_utf8 takes through `text`: characters, each error counting as one.
[[nodiscard]] std::size_t count_characters(std::string_view text) noexcept;

/// @return the number of errors read_utf8 finds in `text`; 0 means valid UTF-8.
[[nodiscard]] std::size_t count_invalid_utf8(std::string_view text) noexcept;

/// @return the byte position of character number `index` (text.size() when there are fewer).
[[nodiscard]] std::size_t byte_position(std::string_view text, std::size_t index) noexcept;

/// @return whether a character is white space (the Unicode property White_Space).
[[nodiscard]] bool is_white_space(char32_t code_point) noexcept;

/// @return a character as a person can read it: `'é' (U+00E9)`, control characters by code point alone: `U+000A`.
[[nodiscard]] std::string describe_character(char32_t code_point);

}  // namespace minnow
