#include "minnow/text/split_pattern.hpp"

#include <gtest/gtest.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "minnow/base/philox.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

using Pieces = std::vector<std::string>;

Pieces pieces_of(SplitPattern pattern, std::string_view text) {
  Pieces pieces;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = piece_end(pattern, text, begin);
    if (end <= begin || end > text.size()) throw std::logic_error("no progress");
    pieces.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return pieces;
}

// PCRE2's \s is not White_Space: it has U+180E.
const std::string kSpaces = R"(\t-\r \x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";

/// The regular expression of a pattern, run by PCRE2.
class Oracle {
 public:
  explicit Oracle(std::string_view regex) {
    int error = 0;
    PCRE2_SIZE where = 0;
    const std::string spelled = with_white_space(regex);
    code_ = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(spelled.data()), spelled.size(),
                          PCRE2_UTF | PCRE2_UCP | PCRE2_DOLLAR_ENDONLY, &error, &where, nullptr);
    if (code_ == nullptr) throw std::logic_error("pcre2: " + spelled);
    match_ = pcre2_match_data_create_from_pattern(code_, nullptr);
  }
  ~Oracle() {
    pcre2_match_data_free(match_);
    pcre2_code_free(code_);
  }
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  [[nodiscard]] Pieces pieces(const std::string& text) const {
    Pieces pieces;
    for (std::size_t at = 0; at < text.size();) {
      if (pcre2_match(code_, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at, PCRE2_NO_UTF_CHECK, match_,
                      nullptr) < 1) {
        throw std::logic_error("no match");
      }
      const PCRE2_SIZE* const found = pcre2_get_ovector_pointer(match_);
      if (found[0] != at || found[1] <= at) throw std::logic_error("the pattern leaves something out");
      pieces.push_back(text.substr(at, found[1] - at));
      at = found[1];
    }
    return pieces;
  }

 private:
  static std::string with_white_space(std::string_view regex) {
    std::string result;
    bool in_class = false;
    for (std::size_t i = 0; i < regex.size(); ++i) {
      in_class = regex[i] == '[' || (in_class && regex[i] != ']');
      if (regex.substr(i, 2) == "\\s") {
        result += in_class ? kSpaces : "[" + kSpaces + "]";
      } else if (regex.substr(i, 2) == "\\S") {
        result += "[^" + kSpaces + "]";
      } else {
        result += regex[i];
        if (regex[i] == '\\') result += regex[i + 1];
        if (regex[i] != '\\') continue;
      }
      ++i;
    }
    return result;
  }

  pcre2_code* code_ = nullptr;
  pcre2_match_data* match_ = nullptr;
};

const std::vector<std::string> kCorners = {"'",
                                           "'s",
                                           "'S",
                                           "'ll",
                                           "'Re",
                                           "'\xC5\xBF",
                                           "l",
                                           "s",
                                           "e",
                                           "v",
                                           "D",
                                           "a",
                                           "Z",
                                           "0",
                                           "7",
                                           "42",
                                           " ",
                                           "  ",
                                           "\n",
                                           "\r",
                                           "\r\n",
                                           "\t",
                                           "\v",
                                           "\x1F",
                                           "\xC2\x85",
                                           "\xC2\xA0",
                                           "\xE1\x9A\x80",
                                           "\xE1\xA0\x8E",
                                           "\xE2\x80\x83",
                                           "\xE2\x80\xA8",
                                           "\xE3\x80\x80",
                                           ".",
                                           "!?",
                                           "_",
                                           "\xCC\x81",
                                           "\xE2\x80\x8D",
                                           "\xC3\xA9",
                                           "\xD8\xA7",
                                           "\xD9\xA3",
                                           "\xE4\xB8\xAD",
                                           "\xE2\x85\xA7",
                                           "\xC2\xBD",
                                           "\xF0\x9F\x98\x80",
                                           "\xF0\x9D\x9F\x98",
                                           "\xF0\x9D\x90\x80",
                                           "\xEF\xBF\xBD",
                                           "\xFF",
                                           "\xC3",
                                           "\xE2\x80",
                                           "\xF0\x9F",
                                           "\x80",
                                           std::string(1, '\0')};

struct Range {
  char32_t first, count;
};
constexpr std::array kRanges = {Range{0x20, 0x160},  Range{0x370, 0x8},    Range{0x391, 0x10},   Range{0x400, 0xFF},
                                Range{0x620, 0x50},  Range{0x904, 0x60},   Range{0x2010, 0x50},  Range{0x2150, 0x30},
                                Range{0x3041, 0x50}, Range{0x4E00, 0x500}, Range{0xAC00, 0x500}, Range{0x1F600, 0x40}};

/// Strings of characters at which the patterns decide, and of any others that Unicode 9 has, some of them damaged.
std::string hard_text(std::uint64_t seed) {
  std::string text;
  const RandomKey key{.seed = seed};
  const std::uint64_t size = 1 + random_below(key, 0, 24);
  for (std::uint64_t i = 1; i <= size; ++i) {
    if (random_below(key, 1000 + i, 4) != 0) {
      text += kCorners[random_below(key, i, kCorners.size())];
      continue;
    }
    const Range range = kRanges[random_below(key, 2000 + i, kRanges.size())];
    append_utf8(text, range.first + static_cast<char32_t>(random_below(key, i, range.count)));
  }
  return text;
}

TEST(SplitPattern, CutsAsTheRegularExpressionsDo) {
  for (const auto pattern : {SplitPattern::kGpt2, SplitPattern::kCl100k, SplitPattern::kLlama3, SplitPattern::kQwen2}) {
    const Oracle oracle(split_regex(pattern));
    for (std::uint64_t seed = 0; seed < 20000; ++seed) {
      const std::string text = hard_text(seed);
      Pieces pieces = pieces_of(pattern, text);
      for (std::string& piece : pieces) piece = replace_invalid_utf8(piece);
      ASSERT_EQ(pieces, oracle.pieces(replace_invalid_utf8(text))) << split_name(pattern) << ": " << text;
    }
  }
}

TEST(SplitPattern, EverySpellingOfARegexMeansTheSame) {
  // As tiktoken 0.14 spells them, for an engine with possessive repetitions.
  const std::pair<SplitPattern, std::string_view> spellings[] = {
      {SplitPattern::kGpt2, R"('(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s)"},
      {SplitPattern::kCl100k,
       R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s)"}};
  for (const auto& [pattern, regex] : spellings) {
    EXPECT_EQ(split_of_regex(regex), pattern);
    const Oracle oracle(regex);
    for (std::uint64_t seed = 0; seed < 5000; ++seed) {
      const std::string text = replace_invalid_utf8(hard_text(seed));
      ASSERT_EQ(pieces_of(pattern, text), oracle.pieces(text)) << split_name(pattern) << ": " << text;
    }
  }
  EXPECT_EQ(split_of_regex("x+"), std::nullopt);
}

TEST(SplitPattern, PartsCutWhereItAlwaysCutsGiveTheSamePieces) {
  for (const auto pattern : {SplitPattern::kGpt2, SplitPattern::kCl100k, SplitPattern::kLlama3, SplitPattern::kQwen2}) {
    int cuts = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
      const std::string text = hard_text(seed);
      const Pieces whole = pieces_of(pattern, text);
      for (std::size_t position = 1; position < text.size(); ++position) {
        if (!always_cuts(text, position)) continue;
        ++cuts;
        Pieces parts = pieces_of(pattern, text.substr(0, position));
        for (const std::string& piece : pieces_of(pattern, std::string_view(text).substr(position)))
          parts.push_back(piece);
        ASSERT_EQ(parts, whole) << split_name(pattern) << " at " << position << ": " << text;
      }
    }
    EXPECT_GT(cuts, 1000);
  }
}

// Runs of spaces before a word: all but the last are a piece of their own.
TEST(SplitPattern, TheLastBlankGoesWithTheWord) {
  EXPECT_EQ(pieces_of(SplitPattern::kGpt2, "a  b"), (Pieces{"a", " ", " b"}));
  EXPECT_EQ(pieces_of(SplitPattern::kGpt2, "def f():\n    return  x"),
            (Pieces{"def", " f", "():", "\n   ", " return", " ", " x"}));
  EXPECT_EQ(pieces_of(SplitPattern::kNone, "a  b"), (Pieces{"a  b"}));
}

TEST(SplitPattern, NamesAndRegexesLeadBack) {
  for (const auto pattern :
       {SplitPattern::kNone, SplitPattern::kGpt2, SplitPattern::kCl100k, SplitPattern::kLlama3, SplitPattern::kQwen2}) {
    EXPECT_EQ(split_named(split_name(pattern)), pattern);
    if (pattern != SplitPattern::kNone) {
      EXPECT_EQ(split_of_regex(split_regex(pattern)), pattern);
    }
  }
  EXPECT_EQ(split_named("gpt5"), std::nullopt);
}

}  // namespace
}  // namespace minnow
