#include "minnow/text/utf8.hpp"

#include <fmt/format.h>

#include <array>

namespace minnow {
namespace {

/// What may follow a lead byte: how many more bytes, and the range of the first of them (table 3-7 of the standard; it
/// is narrower than 80..BF where overlong forms, surrogates or values above U+10FFFF would begin).
struct Lead {
  std::uint8_t more = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
};

constexpr Lead lead_of(std::uint8_t byte) {
  if (byte < 0xC2 || byte > 0xF4) return {};
  if (byte < 0xE0) return {1, 0x80, 0xBF};
  if (byte == 0xE0) return {2, 0xA0, 0xBF};
  if (byte == 0xED) return {2, 0x80, 0x9F};
  if (byte < 0xF0) return {2, 0x80, 0xBF};
  if (byte == 0xF0) return {3, 0x90, 0xBF};
  if (byte == 0xF4) return {3, 0x80, 0x8F};
  return {3, 0x80, 0xBF};
}

// By lead byte: texts that are no UTF-8 at all would mispredict most of the branches above.
constexpr auto kLeads = [] {
  std::array<Lead, 256> leads{};
  for (std::size_t byte = 0; byte < leads.size(); ++byte) leads[byte] = lead_of(static_cast<std::uint8_t>(byte));
  return leads;
}();

}  // namespace

Utf8Step read_utf8(std::string_view text, std::size_t position) noexcept {
  const auto byte_at = [&](std::size_t index) { return static_cast<std::uint8_t>(text[index]); };
  const std::uint8_t first = byte_at(position);
  if (first < 0x80) return {first, 1, true, false};
  const Lead lead = kLeads[first];
  if (lead.more == 0) return {};
  // The payload of a lead byte with n followers is its low 6 - n bits.
  char32_t value = first & (0x3FU >> lead.more);
  for (std::uint8_t k = 1; k <= lead.more; ++k) {
    if (position + k >= text.size()) return {kReplacementCharacter, k, false, true};
    const std::uint8_t next = byte_at(position + k);
    const bool fits = k == 1 ? next >= lead.low && next <= lead.high : (next & 0xC0U) == 0x80U;
    if (!fits) return {kReplacementCharacter, k, false, false};
    value = (value << 6) | (next & 0x3FU);
  }
  return {value, static_cast<std::uint8_t>(lead.more + 1), true, false};
}

void append_utf8(std::string& text, char32_t code_point) {
  const auto add = [&](std::uint32_t byte) { text.push_back(static_cast<char>(static_cast<std::uint8_t>(byte))); };
  const auto follow = [&](unsigned shift) { add(0x80U | ((code_point >> shift) & 0x3FU)); };
  if (code_point < 0x80) {
    add(code_point);
  } else if (code_point < 0x800) {
    add(0xC0U | (code_point >> 6));
    follow(0);
  } else if (code_point < 0x10000) {
    add(0xE0U | (code_point >> 12));
    follow(6);
    follow(0);
  } else {
    add(0xF0U | (code_point >> 18));
    follow(12);
    follow(6);
    follow(0);
  }
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = read_utf8(text, i);
    if (step.valid) {
      result.append(text, i, step.length);
    } else {
      append_utf8(result, kReplacementCharacter);
    }
    i += step.length;
  }
  return result;
}

std::size_t count_characters(std::string_view text) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++count) i += read_utf8(text, i).length;
  return count;
}

std::size_t count_invalid_utf8(std::string_view text) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = read_utf8(text, i);
    if (!step.valid) ++count;
    i += step.length;
  }
  return count;
}

std::size_t byte_position(std::string_view text, std::size_t index) noexcept {
  std::size_t position = 0;
  for (std::size_t k = 0; k < index && position < text.size(); ++k) position += read_utf8(text, position).length;
  return position;
}

std::string describe_character(char32_t code_point) {
  const auto value = static_cast<std::uint32_t>(code_point);
  // Control, format-like and white space characters would be invisible or would disturb a terminal.
  const bool invisible = value <= 0x20 || (value >= 0x7F && value <= 0xA0) || value == 0xAD ||
                         (value >= 0x2000 && value <= 0x200F) || (value >= 0x2028 && value <= 0x202F) ||
                         (value >= 0x2060 && value <= 0x206F) || value == 0x3000 || value == 0xFEFF;
  if (invisible) return fmt::format("U+{:04X}", value);
  std::string spelled;
  append_utf8(spelled, code_point);
  return fmt::format("'{}' (U+{:04X})", spelled, value);
}

bool is_white_space(char32_t code_point) noexcept {
  return code_point == ' ' || (code_point >= 0x09 && code_point <= 0x0D) || code_point == 0x85 || code_point == 0xA0 ||
         code_point == 0x1680 || (code_point >= 0x2000 && code_point <= 0x200A) || code_point == 0x2028 ||
         code_point == 0x2029 || code_point == 0x202F || code_point == 0x205F || code_point == 0x3000;
}

}  // namespace minnow
