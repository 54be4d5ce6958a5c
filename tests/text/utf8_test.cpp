#include "minnow/text/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace minnow {
namespace {

TEST(Utf8, EveryCodePointSurvives) {
  for (char32_t code = 0; code < 0x110000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string text;
    append_utf8(text, code);
    const Utf8Step step = read_utf8(text, 0);
    ASSERT_TRUE(step.valid) << static_cast<std::uint32_t>(code);
    ASSERT_TRUE(step.code_point == code) << static_cast<std::uint32_t>(code);
    ASSERT_EQ(step.length, text.size());
  }
}

// Expected values: Python's bytes.decode("utf-8", errors="replace").
TEST(Utf8, ErrorsAreMaximalSubparts) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(replace_invalid_utf8("a\x80z"), "a" + r + "z");
  EXPECT_EQ(replace_invalid_utf8("\xC0\xAF"), r + r);                  // overlong
  EXPECT_EQ(replace_invalid_utf8("\xE0\x80\x80"), r + r + r);          // overlong, three bytes
  EXPECT_EQ(replace_invalid_utf8("\xED\xA0\x80"), r + r + r);          // surrogate
  EXPECT_EQ(replace_invalid_utf8("\xF4\x90\x80\x80"), r + r + r + r);  // above U+10FFFF
  EXPECT_EQ(replace_invalid_utf8("\xF0\x9F\x99z"), r + "z");           // cut in the middle
  EXPECT_EQ(replace_invalid_utf8("\xF0\x9F\x99"), r);                  // cut at the end
  EXPECT_EQ(replace_invalid_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF"
                                 "A"),
            r + r + r + r + "A");  // the standard's example
  EXPECT_EQ(replace_invalid_utf8("\xFF\xFE"), r + r);
  EXPECT_EQ(count_invalid_utf8("a\xFF\xFE\xC3\xA9"), 2U);
  EXPECT_EQ(count_characters("a\xFF\xFE\xC3\xA9"), 4U);
  EXPECT_EQ(byte_position("\xC3\xA9x\xFFz", 3), 4U);
  EXPECT_EQ(byte_position("ab", 9), 2U);
}

TEST(Utf8, TruncatedOnlyWhereMoreBytesCouldHelp) {
  EXPECT_TRUE(read_utf8("\xF0\x9F\x99", 0).truncated);
  EXPECT_TRUE(read_utf8("\xC3", 0).truncated);
  EXPECT_FALSE(read_utf8("\xC3z", 0).truncated);
  EXPECT_FALSE(read_utf8("\xE0\x80", 0).truncated);
  EXPECT_FALSE(read_utf8("\xFF", 0).truncated);
}

TEST(Utf8, CharactersAreShownReadably) {
  EXPECT_EQ(describe_character(U'é'), "'é' (U+00E9)");
  EXPECT_EQ(describe_character(U'\n'), "U+000A");
  EXPECT_EQ(describe_character(0x1F642), "'\xF0\x9F\x99\x82' (U+1F642)");
}

}  // namespace
}  // namespace minnow
