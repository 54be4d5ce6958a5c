#include "text/word_text.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "minnow/text/utf8.hpp"
#include "text/char_class.hpp"

namespace minnow {
namespace {

struct CodeRange {
  char32_t first, last;
};

// BERT's ids follow the tables of Unicode 8 that `tokenizers` has (its crate unicode_categories). These characters
// got their class later, or another one. Found by asking `tokenizers` 0.23 about every code point.
constexpr std::array kLaterMarks = std::to_array<CodeRange>({
    {0x7FD, 0x7FD},     {0x898, 0x89F},     {0x8CA, 0x8E1},     {0x9FE, 0x9FE},     {0xAFA, 0xAFF},
    {0xB55, 0xB55},     {0xC04, 0xC04},     {0xC3C, 0xC3C},     {0xD00, 0xD00},     {0xD3B, 0xD3C},
    {0xD81, 0xD81},     {0xEBA, 0xEBA},     {0xECE, 0xECE},     {0x180F, 0x180F},   {0x1885, 0x1886},
    {0x1ABF, 0x1ACE},   {0x1DF6, 0x1DFB},   {0xA82C, 0xA82C},   {0xA8C5, 0xA8C5},   {0xA8FF, 0xA8FF},
    {0xA9BD, 0xA9BD},   {0x10D24, 0x10D27}, {0x10EAB, 0x10EAC}, {0x10EFD, 0x10EFF}, {0x10F46, 0x10F50},
    {0x10F82, 0x10F85}, {0x11070, 0x11070}, {0x11073, 0x11074}, {0x110C2, 0x110C2}, {0x111C9, 0x111C9},
    {0x111CF, 0x111CF}, {0x1123E, 0x1123E}, {0x11241, 0x11241}, {0x1133B, 0x1133B}, {0x11438, 0x1143F},
    {0x11442, 0x11444}, {0x11446, 0x11446}, {0x1145E, 0x1145E}, {0x1182F, 0x11837}, {0x11839, 0x1183A},
    {0x1193B, 0x1193C}, {0x1193E, 0x1193E}, {0x11943, 0x11943}, {0x119D4, 0x119D7}, {0x119DA, 0x119DB},
    {0x119E0, 0x119E0}, {0x11A01, 0x11A0A}, {0x11A33, 0x11A38}, {0x11A3B, 0x11A3E}, {0x11A47, 0x11A47},
    {0x11A51, 0x11A56}, {0x11A59, 0x11A5B}, {0x11A8A, 0x11A96}, {0x11A98, 0x11A99}, {0x11C30, 0x11C36},
    {0x11C38, 0x11C3D}, {0x11C3F, 0x11C3F}, {0x11C92, 0x11CA7}, {0x11CAA, 0x11CB0}, {0x11CB2, 0x11CB3},
    {0x11CB5, 0x11CB6}, {0x11D31, 0x11D36}, {0x11D3A, 0x11D3A}, {0x11D3C, 0x11D3D}, {0x11D3F, 0x11D45},
    {0x11D47, 0x11D47}, {0x11D90, 0x11D91}, {0x11D95, 0x11D95}, {0x11D97, 0x11D97}, {0x11EF3, 0x11EF4},
    {0x11F00, 0x11F01}, {0x11F36, 0x11F3A}, {0x11F40, 0x11F40}, {0x11F42, 0x11F42}, {0x13440, 0x13440},
    {0x13447, 0x13455}, {0x16F4F, 0x16F4F}, {0x16FE4, 0x16FE4}, {0x1CF00, 0x1CF2D}, {0x1CF30, 0x1CF46},
    {0x1E000, 0x1E006}, {0x1E008, 0x1E018}, {0x1E01B, 0x1E021}, {0x1E023, 0x1E024}, {0x1E026, 0x1E02A},
    {0x1E08F, 0x1E08F}, {0x1E130, 0x1E136}, {0x1E2AE, 0x1E2AE}, {0x1E2EC, 0x1E2EF}, {0x1E4EC, 0x1E4EF},
    {0x1E944, 0x1E94A},
});
constexpr std::array kLaterPunctuation = std::to_array<CodeRange>({
    {0x61D, 0x61D},     {0x9FD, 0x9FD},     {0xA76, 0xA76},     {0xC77, 0xC77},     {0xC84, 0xC84},
    {0x1B7D, 0x1B7E},   {0x2E43, 0x2E4F},   {0x2E52, 0x2E5D},   {0x10EAD, 0x10EAD}, {0x10F55, 0x10F59},
    {0x10F86, 0x10F89}, {0x1144B, 0x1144F}, {0x1145A, 0x1145B}, {0x1145D, 0x1145D}, {0x11660, 0x1166C},
    {0x116B9, 0x116B9}, {0x1183B, 0x1183B}, {0x11944, 0x11946}, {0x119E2, 0x119E2}, {0x11A3F, 0x11A46},
    {0x11A9A, 0x11A9C}, {0x11A9E, 0x11AA2}, {0x11B00, 0x11B09}, {0x11C41, 0x11C45}, {0x11C70, 0x11C71},
    {0x11EF7, 0x11EF8}, {0x11F43, 0x11F4F}, {0x11FFF, 0x11FFF}, {0x12FF1, 0x12FF2}, {0x16E97, 0x16E9A},
    {0x16FE2, 0x16FE2}, {0x1E95E, 0x1E95F},
});
constexpr std::array kLaterFormats =
    std::to_array<CodeRange>({{0x890, 0x891}, {0x8E2, 0x8E2}, {0x110CD, 0x110CD}, {0x13430, 0x1343F}});
// Source: BERT's _is_chinese_char; the gap before U+2B920 is `tokenizers`' own.
constexpr std::array kIdeographs = std::to_array<CodeRange>({{0x3400, 0x4DBF},
                                                             {0x4E00, 0x9FFF},
                                                             {0xF900, 0xFAFF},
                                                             {0x20000, 0x2A6DF},
                                                             {0x2A700, 0x2B81F},
                                                             {0x2B920, 0x2CEAF},
                                                             {0x2F800, 0x2FA1F}});

bool is_in(std::span<const CodeRange> ranges, char32_t code_point) {
  const auto found = std::partition_point(ranges.begin(), ranges.end(),
                                          [&](const CodeRange& range) { return range.last < code_point; });
  return found != ranges.end() && found->first <= code_point;
}

utf8proc_category_t category_of(char32_t code_point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
}

bool is_removed(char32_t code_point) {
  switch (category_of(code_point)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CO:
      return true;
    case UTF8PROC_CATEGORY_CF:
      return !is_in(kLaterFormats, code_point);
    default:
      return code_point == kReplacementCharacter;
  }
}

bool is_mark(char32_t code_point) {
  constexpr char32_t kTurnedSpacing = 0x1734;  // Hanunoo pamudpod, since Unicode 14 a mark that takes room
  return code_point == kTurnedSpacing ||
         (category_of(code_point) == UTF8PROC_CATEGORY_MN && !is_in(kLaterMarks, code_point));
}

/// A capital letter that came with Unicode 16 or 17, and how far it is to its small one.
struct LaterCapitals {
  char32_t first, last;
  std::int32_t step;
};
constexpr std::array kLaterCapitals = std::to_array<LaterCapitals>({{0x1C89, 0x1C89, 1},
                                                                    {0xA7CB, 0xA7CB, 0x264 - 0xA7CB},
                                                                    {0xA7CC, 0xA7CC, 1},
                                                                    {0xA7CE, 0xA7CE, 1},
                                                                    {0xA7D2, 0xA7D2, 1},
                                                                    {0xA7D4, 0xA7D4, 1},
                                                                    {0xA7DA, 0xA7DA, 1},
                                                                    {0xA7DC, 0xA7DC, 0x19B - 0xA7DC},
                                                                    {0x10D50, 0x10D65, 0x20},
                                                                    {0x16EA0, 0x16EB8, 0x1B}});

char32_t small_of(char32_t code_point) {
  for (const LaterCapitals& later : kLaterCapitals) {
    if (code_point >= later.first && code_point <= later.last) {
      return static_cast<char32_t>(static_cast<std::int32_t>(code_point) + later.step);
    }
  }
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point)));
}

/// Takes characters one after the other.
class Cleaner {
 public:
  Cleaner(const TextCleaning& cleaning, std::size_t bytes) : cleaning_(cleaning) { text_.reserve(bytes); }

  void take(char32_t code_point) {
    const bool plain = code_point > ' ' && code_point < 0x7F;  // most of what comes, and nothing to clean
    if (cleaning_.clean_text && !plain) {
      const bool line = code_point == '\t' || code_point == '\n' || code_point == '\r';
      if (!line && is_removed(code_point)) return;
      if (is_white_space(code_point)) code_point = ' ';
    }
    const bool apart =
        cleaning_.handle_chinese_chars && code_point >= kIdeographs[0].first && is_in(kIdeographs, code_point);
    if (apart) decompose(' ');
    decompose(code_point);
    if (apart) decompose(' ');
  }

  std::string finish() {
    flush();
    return std::move(text_);
  }

 private:
  struct Waiting {
    int order;  // canonical combining class
    char32_t code_point;
  };

  void decompose(char32_t code_point) {
    if (!cleaning_.strip_accents) return put(code_point);
    if (code_point < 0x80) {
      flush();
      return put(code_point);
    }
    constexpr std::size_t kLongest = 32;  // no canonical decomposition has more than four characters
    std::array<utf8proc_int32_t, kLongest> parts{};
    int boundary = 0;
    const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code_point), parts.data(), kLongest,
                                               UTF8PROC_DECOMPOSE, &boundary);
    if (count < 1 || count > static_cast<utf8proc_ssize_t>(kLongest)) return order(code_point);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) order(static_cast<char32_t>(parts[i]));
  }

  /// Characters that combine stand in the order of their classes; the marks that are removed never wait.
  void order(char32_t code_point) {
    const int combining = utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point))->combining_class;
    if (combining == 0) flush();
    if (is_mark(code_point)) return;
    if (combining == 0) return put(code_point);
    waiting_.push_back({combining, code_point});
  }

  void flush() {
    if (waiting_.empty()) return;
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [](const Waiting& a, const Waiting& b) { return a.order < b.order; });
    for (const Waiting& one : waiting_) put(one.code_point);
    waiting_.clear();
  }

  void put(char32_t code_point) {
    if (!cleaning_.lowercase) return append_utf8(text_, code_point);
    if (code_point < 0x80) {
      text_.push_back(static_cast<char>(code_point >= 'A' && code_point <= 'Z' ? code_point + 32 : code_point));
      return;
    }
    constexpr char32_t kDottedCapital = 0x130, kDotAbove = 0x307;  // the one character that becomes two
    if (code_point == kDottedCapital) {
      text_.push_back('i');
      code_point = kDotAbove;
    }
    append_utf8(text_, small_of(code_point));
  }

  const TextCleaning& cleaning_;
  std::string text_;
  std::vector<Waiting> waiting_;
};

/// What a character is to a split.
enum class WordPart { kSpace, kWord, kOther };

/// Calls `word` with what lies between white space: each character of kOther alone, or with `runs` as long as it goes.
template <class Classify>
void split_classes(std::string_view text, bool runs, const Classify& classify,
                   const std::function<void(std::string_view)>& word) {
  std::size_t begin = 0;
  auto open = WordPart::kSpace;
  const auto close = [&](std::size_t end) {
    if (open != WordPart::kSpace) word(text.substr(begin, end - begin));
  };
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = read_utf8(text, i);
    const WordPart part = classify(step.code_point);
    if (part != open || (part == WordPart::kOther && !runs)) {
      close(i);
      begin = i;
      open = part;
    }
    i += step.length;
  }
  close(text.size());
}

}  // namespace

bool is_bert_punctuation(char32_t code_point) noexcept {
  if (code_point < 0x80) {
    return code_point > ' ' && code_point < 0x7F && char_class::kAscii.classes[code_point] == CharClass::kOther;
  }
  constexpr char32_t kTurnedSymbol = 0x166D, kTurnedMark = 0x111C9;  // punctuation until Unicode 12 and 11
  if (code_point == kTurnedSymbol || code_point == kTurnedMark) return true;
  switch (category_of(code_point)) {
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return !is_in(kLaterPunctuation, code_point);
    default:
      return false;
  }
}

std::string clean_text(std::string_view text, const TextCleaning& cleaning) {
  Cleaner cleaner(cleaning, text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = read_utf8(text, i);
    cleaner.take(step.code_point);
    i += step.length;
  }
  return cleaner.finish();
}

bool cuts_words(std::string_view text, std::size_t position) noexcept {
  if (text[position] != ' ' && text[position] != '\n') return false;
  const CharClass before = read_class(text, position - 1).what;
  return before == CharClass::kLetter || before == CharClass::kNumber;
}

void split_words(std::string_view text, WordSplit split, SplitPattern pattern,
                 const std::function<void(std::string_view)>& word) {
  if (split == WordSplit::kPattern) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = piece_end(pattern, text, begin);
      word(text.substr(begin, end - begin));
      begin = end;
    }
    return;
  }
  split_classes(
      text, split == WordSplit::kWhitespace,
      [split](char32_t code_point) {
        if (is_white_space(code_point)) return WordPart::kSpace;
        if (split == WordSplit::kBlanks) return WordPart::kWord;
        if (split == WordSplit::kBert) return is_bert_punctuation(code_point) ? WordPart::kOther : WordPart::kWord;
        return is_word_character(code_point) ? WordPart::kWord : WordPart::kOther;
      },
      word);
}

}  // namespace minnow
