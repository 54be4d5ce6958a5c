#include "minnow/text/split_pattern.hpp"

#include <array>
#include <utility>

#include "minnow/text/utf8.hpp"
#include "text/char_class.hpp"

namespace minnow {
namespace {

using Spelling = std::pair<SplitPattern, std::string_view>;

constexpr std::array kSplitNames = std::to_array<Spelling>({
    {SplitPattern::kNone, "none"},
    {SplitPattern::kGpt2, "gpt2"},
    {SplitPattern::kCl100k, "cl100k"},
    {SplitPattern::kLlama3, "llama3"},
    {SplitPattern::kQwen2, "qwen2"},
});

// The first spelling of a pattern is the one that is written.
constexpr std::array kSplitRegexes = std::to_array<Spelling>({
    {SplitPattern::kGpt2, R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"},
    {SplitPattern::kGpt2, R"('(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"},
    {SplitPattern::kGpt2, R"('(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s)"},
    // Oniguruma reads {1,3}+ as a repetition and $ as the end of a line.
    {SplitPattern::kCl100k,
     R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]+|\s+(?!\S)|\s+)"},
    {SplitPattern::kCl100k,
     R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s)"},
    {SplitPattern::kLlama3,
     R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
    {SplitPattern::kLlama3,
     R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)"},
    {SplitPattern::kQwen2,
     R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
});

/// @return where the characters of one class that begin at `position` end.
std::size_t run_end(std::string_view text, std::size_t position, CharClass what) noexcept {
  while (position < text.size()) {
    const ClassStep step = read_class(text, position);
    if (step.what != what) break;
    position += step.length;
  }
  return position;
}

/// @return the length of 's, 't, 're, 've, 'm, 'll or 'd at `begin`, where an apostrophe stands; 0: none of them.
std::size_t contraction(std::string_view text, std::size_t begin, bool any_case) noexcept {
  const auto at = [&](std::size_t offset) -> char {
    if (begin + offset >= text.size()) return '\0';
    const char c = text[begin + offset];
    return any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  const char first = at(1);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  const char second = at(2);
  if ((first == 'r' || first == 'v') && second == 'e') return 3;
  if (first == 'l' && second == 'l') return 3;
  // U+017F, the long s, is an s when case does not count.
  if (any_case && text.substr(begin + 1).starts_with("\xC5\xBF")) return 3;
  return 0;
}

/// White space up to the last character before something else, which goes with what follows: \s+(?!\S)|\s+.
/// @param end  of the white space that begins at `begin`.
std::size_t leave_last_space(std::string_view text, std::size_t begin, std::size_t end) noexcept {
  if (end == text.size()) return end;
  std::size_t last = end - 1;
  while ((static_cast<std::uint8_t>(text[last]) & 0xC0U) == 0x80U) --last;
  return last > begin ? last : end;
}

std::size_t gpt2_end(std::string_view text, std::size_t begin) noexcept {
  if (text[begin] == '\'') {
    if (const std::size_t length = contraction(text, begin, false)) return begin + length;
  }
  const ClassStep first = read_class(text, begin);
  const std::size_t second = begin + first.length;
  if (first.what != CharClass::kSpace) return run_end(text, second, first.what);
  if (text[begin] == ' ' && second < text.size()) {
    const ClassStep next = read_class(text, second);
    if (next.what != CharClass::kSpace) return run_end(text, second + next.length, next.what);
  }
  return leave_last_space(text, begin, run_end(text, second, CharClass::kSpace));
}

bool is_line_end(char c) noexcept { return c == '\r' || c == '\n'; }

/// What tells the patterns after GPT-2's apart.
struct LaterRules {
  int digits = 3;           // most in one piece
  bool tail_whole = false;  // white space at the end of the text is one piece
};

std::size_t later_space_end(std::string_view text, std::size_t begin, LaterRules rules) noexcept {
  const std::size_t end = run_end(text, begin, CharClass::kSpace);
  if (rules.tail_whole && end == text.size()) return end;
  for (std::size_t last = end; last > begin; --last) {
    if (is_line_end(text[last - 1])) return last;
  }
  return leave_last_space(text, begin, end);
}

std::size_t digits_end(std::string_view text, std::size_t position, int more) noexcept {
  for (; more > 0 && position < text.size(); --more) {
    const ClassStep step = read_class(text, position);
    if (step.what != CharClass::kNumber) break;
    position += step.length;
  }
  return position;
}

std::size_t symbols_end(std::string_view text, std::size_t position) noexcept {
  position = run_end(text, position, CharClass::kOther);
  while (position < text.size() && is_line_end(text[position])) ++position;
  return position;
}

std::size_t later_end(std::string_view text, std::size_t begin, LaterRules rules) noexcept {
  if (text[begin] == '\'') {
    if (const std::size_t length = contraction(text, begin, true)) return begin + length;
  }
  const ClassStep first = read_class(text, begin);
  const std::size_t second = begin + first.length;
  if (first.what == CharClass::kLetter) return run_end(text, second, CharClass::kLetter);
  if (first.what == CharClass::kNumber) return digits_end(text, second, rules.digits - 1);
  if (second < text.size() && !is_line_end(text[begin])) {
    const ClassStep next = read_class(text, second);
    if (next.what == CharClass::kLetter) return run_end(text, second + next.length, CharClass::kLetter);
    if (text[begin] == ' ' && next.what == CharClass::kOther) return symbols_end(text, second);
  }
  if (first.what == CharClass::kOther) return symbols_end(text, second);
  return later_space_end(text, begin, rules);
}

}  // namespace

std::string_view split_name(SplitPattern pattern) noexcept {
  for (const auto& [known, name] : kSplitNames) {
    if (known == pattern) return name;
  }
  return "";
}

std::optional<SplitPattern> split_named(std::string_view name) noexcept {
  for (const auto& [pattern, known] : kSplitNames) {
    if (known == name) return pattern;
  }
  return std::nullopt;
}

std::string_view split_regex(SplitPattern pattern) noexcept {
  for (const auto& [known, regex] : kSplitRegexes) {
    if (known == pattern) return regex;
  }
  return "";
}

std::optional<SplitPattern> split_of_regex(std::string_view regex) noexcept {
  for (const auto& [pattern, known] : kSplitRegexes) {
    if (known == regex) return pattern;
  }
  return std::nullopt;
}

std::size_t piece_end(SplitPattern pattern, std::string_view text, std::size_t begin) noexcept {
  switch (pattern) {
    case SplitPattern::kNone:
      return text.size();
    case SplitPattern::kGpt2:
      return gpt2_end(text, begin);
    case SplitPattern::kCl100k:
      return later_end(text, begin, {.digits = 3, .tail_whole = true});
    case SplitPattern::kLlama3:
      return later_end(text, begin, {.digits = 3});
    case SplitPattern::kQwen2:
      return later_end(text, begin, {.digits = 1});
  }
  return text.size();
}

bool always_cuts(std::string_view text, std::size_t position) noexcept {
  const auto continues = [&](std::size_t at) { return (static_cast<std::uint8_t>(text[at]) & 0xC0U) == 0x80U; };
  if (continues(position)) return false;  // perhaps amid a character
  std::size_t before = position - 1;
  while (before > 0 && position - before < 4 && continues(before)) --before;
  const ClassStep last = read_class(text, before);
  if (before + last.length != position) return false;
  const bool word = last.what == CharClass::kLetter || last.what == CharClass::kNumber;
  return word && read_class(text, position).what != last.what;
}

}  // namespace minnow
