#include "text/char_class.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <utility>

#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

struct ClassRange {
  char32_t first, last;
  CharClass what;
};

/// Letters and numbers of Unicode 15.1 and 16, which an older utf8proc calls unassigned.
/// Source: DerivedGeneralCategory.txt of the Unicode Character Database, 16.0.
constexpr std::array kAdditions = std::to_array<ClassRange>({
    {0x1C89, 0x1C8A, CharClass::kLetter},   {0xA7CB, 0xA7CD, CharClass::kLetter},
    {0xA7DA, 0xA7DC, CharClass::kLetter},   {0x105C0, 0x105F3, CharClass::kLetter},
    {0x10D40, 0x10D49, CharClass::kNumber}, {0x10D4A, 0x10D65, CharClass::kLetter},
    {0x10D6F, 0x10D85, CharClass::kLetter}, {0x10EC2, 0x10EC4, CharClass::kLetter},
    {0x11380, 0x11389, CharClass::kLetter}, {0x1138B, 0x1138B, CharClass::kLetter},
    {0x1138E, 0x1138E, CharClass::kLetter}, {0x11390, 0x113B5, CharClass::kLetter},
    {0x113B7, 0x113B7, CharClass::kLetter}, {0x113D1, 0x113D1, CharClass::kLetter},
    {0x113D3, 0x113D3, CharClass::kLetter}, {0x116D0, 0x116E3, CharClass::kNumber},
    {0x11BC0, 0x11BE0, CharClass::kLetter}, {0x11BF0, 0x11BF9, CharClass::kNumber},
    {0x13460, 0x143FA, CharClass::kLetter}, {0x16100, 0x1611D, CharClass::kLetter},
    {0x16130, 0x16139, CharClass::kNumber}, {0x16D40, 0x16D6C, CharClass::kLetter},
    {0x16D70, 0x16D79, CharClass::kNumber}, {0x18CFF, 0x18CFF, CharClass::kLetter},
    {0x1CCF0, 0x1CCF9, CharClass::kNumber}, {0x1E5D0, 0x1E5ED, CharClass::kLetter},
    {0x1E5F0, 0x1E5F0, CharClass::kLetter}, {0x1E5F1, 0x1E5FA, CharClass::kNumber},
    {0x2EBF0, 0x2EE5D, CharClass::kLetter},
});

/// Marks and decimal digits of the same versions: parts of words, too.
constexpr std::array kWordAdditions = std::to_array<std::pair<char32_t, char32_t>>({
    {0x897, 0x897},     {0x10D40, 0x10D49}, {0x10D69, 0x10D6D}, {0x10EFC, 0x10EFC}, {0x113B8, 0x113C0},
    {0x113C2, 0x113C2}, {0x113C5, 0x113C5}, {0x113C7, 0x113CA}, {0x113CC, 0x113D0}, {0x113D2, 0x113D2},
    {0x113E1, 0x113E2}, {0x116D0, 0x116E3}, {0x11BF0, 0x11BF9}, {0x11F5A, 0x11F5A}, {0x1611E, 0x16139},
    {0x16D70, 0x16D79}, {0x1CCF0, 0x1CCF9}, {0x1E5EE, 0x1E5EF}, {0x1E5F1, 0x1E5FA},
});

CharClass class_of_addition(char32_t code_point) noexcept {
  const auto* const found = std::find_if(kAdditions.begin(), kAdditions.end(),
                                         [&](const ClassRange& range) { return code_point <= range.last; });
  return found != kAdditions.end() && code_point >= found->first ? found->what : CharClass::kOther;
}

}  // namespace

CharClass class_of(char32_t code_point) noexcept {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return CharClass::kLetter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return CharClass::kNumber;
    case UTF8PROC_CATEGORY_CN:
      return class_of_addition(code_point);
    default:
      return is_white_space(code_point) ? CharClass::kSpace : CharClass::kOther;
  }
}

ClassStep read_wide_class(std::string_view text, std::size_t position) noexcept {
  const Utf8Step step = read_utf8(text, position);
  return {step.valid ? class_of(step.code_point) : CharClass::kOther, step.length};
}

bool is_word_character(char32_t code_point) noexcept {
  // Other_Alphabetic has, marks apart, letters in circles and squares.
  const auto within = [&](char32_t first, char32_t last) { return code_point >= first && code_point <= last; };
  if (within(0x24B6, 0x24E9) || within(0x1F130, 0x1F149) || within(0x1F150, 0x1F169) || within(0x1F170, 0x1F189)) {
    return true;
  }
  if (code_point == 0x200C || code_point == 0x200D) return true;  // the joiners
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
      return true;
    case UTF8PROC_CATEGORY_CN:
      return class_of(code_point) == CharClass::kLetter ||
             std::any_of(kWordAdditions.begin(), kWordAdditions.end(),
                         [&](const auto& range) { return within(range.first, range.second); });
    default:
      return class_of(code_point) == CharClass::kLetter;
  }
}

}  // namespace minnow
