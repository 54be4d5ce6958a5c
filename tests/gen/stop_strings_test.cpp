#include "minnow/gen/stop_strings.hpp"

#include <gtest/gtest.h>

#include "minnow/base/error.hpp"
#include "minnow/base/philox.hpp"
#include "minnow/text/byte_tokenizer.hpp"
#include "minnow/text/stream_decoder.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

/// The rule in its plainest form: read byte by byte; the first end of a stop string ends the text.
std::string cut_plainly(const std::string& text, const std::vector<std::string>& stops) {
  for (std::size_t end = 1; end <= text.size(); ++end) {
    std::size_t longest = 0;
    for (const std::string& stop : stops) {
      if (stop.size() <= end && text.compare(end - stop.size(), stop.size(), stop) == 0) {
        longest = std::max(longest, stop.size());
      }
    }
    if (longest > 0) return text.substr(0, end - longest);
  }
  return text;
}

TEST(StopStrings, TextBeforeTheStopComesOutTheStopDoesNot) {
  StopStrings stops({"END"});
  EXPECT_EQ(stops.push("one E"), "one ");
  EXPECT_EQ(stops.push("N"), "");
  EXPECT_EQ(stops.push("ergy E"), "ENergy ");
  EXPECT_EQ(stops.push("ND two"), "");
  EXPECT_TRUE(stops.stopped());
  EXPECT_EQ(stops.push("three"), "");
  EXPECT_EQ(stops.finish(), "");
}

TEST(StopStrings, WhatIsHeldBackComesAtTheEnd) {
  StopStrings stops({"\n\n"});
  EXPECT_EQ(stops.push("a\n"), "a");
  EXPECT_EQ(stops.finish(), "\n");
  EXPECT_FALSE(stops.stopped());
}

TEST(StopStrings, OverlappingStartsAreFound) {
  StopStrings stops({"aab"});
  EXPECT_EQ(stops.push("aa"), "");
  EXPECT_EQ(stops.push("a"), "a");
  EXPECT_EQ(stops.push("b"), "");
  EXPECT_TRUE(stops.stopped());
}

TEST(StopStrings, EmptyAndIllFormedOnesAreRefused) {
  EXPECT_THROW(StopStrings({"ok", ""}), ConfigError);
  EXPECT_THROW(StopStrings({"\xF0\x9F"}), ConfigError);
  EXPECT_NO_THROW(StopStrings({}));
}

TEST(StopStrings, ResultDoesNotDependOnWhereThePiecesAreCut) {
  const RandomKey key{.seed = 5, .stream = 1};
  std::uint64_t element = 0;
  const auto below = [&](std::uint64_t bound) { return random_below(key, element++, bound); };
  int stopped = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::string> stops(below(3) + 1);
    for (std::string& stop : stops) {
      for (std::uint64_t i = below(4) + 1; i > 0; --i) stop += static_cast<char>('a' + below(2));
    }
    std::string text;
    for (std::uint64_t i = below(12); i > 0; --i) text += static_cast<char>('a' + below(3));
    StopStrings cutter(stops);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length = below(4) + 1;
      out += cutter.push(std::string_view(text).substr(at, length));
      at += length;
    }
    out += cutter.finish();
    ASSERT_EQ(out, cut_plainly(text, stops)) << text << " with " << stops.front();
    stopped += cutter.stopped() ? 1 : 0;
  }
  EXPECT_GT(stopped, 1000);
}

/// Random tokens of a byte-level vocabulary, mostly ill-formed UTF-8: every piece that comes out must be valid, and all
/// pieces together must be the text of the whole sequence, cut at the stop string.
void stream_random_sequences(std::uint64_t rounds, std::uint64_t seed) {
  const ByteTokenizer tokenizer(true);
  const RandomKey key{.seed = seed, .stream = 2};
  const std::vector<std::string> none, some = {"é!", "\xF0\x9F\x99\x82", "ab"};
  // leads and continuations of every length, so that well-formed characters happen too
  const std::vector<std::int32_t> pool = {0x61, 0x62, 0x21, 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xF0,
                                          0x9F, 0x99, 0x82, 0xED, 0xA0, 0xFF, 0x80, 0xC0, 256};
  std::int64_t characters = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const std::uint64_t length = random_bits(key, round * 64) % 16;
    const auto& stops = round % 2 == 0 ? none : some;
    StreamDecoder decoder(tokenizer);
    StopStrings cutter(stops);
    std::vector<std::int32_t> ids;
    std::string out;
    for (std::uint64_t i = 0; i <= length; ++i) {
      std::string piece;
      if (i < length) {
        const std::uint32_t bits = random_bits(key, round * 64 + 1 + i);
        ids.push_back(bits % 5 == 0 ? static_cast<std::int32_t>(bits / 8 % 257)
                                    : pool[static_cast<std::size_t>(bits / 8) % pool.size()]);
        piece = cutter.push(decoder.push(ids.back()));
      } else {
        piece = cutter.push(decoder.finish());
        piece += cutter.finish();
      }
      ASSERT_EQ(count_invalid_utf8(piece), 0U) << "round " << round;
      out += piece;
    }
    ASSERT_EQ(out, cut_plainly(tokenizer.decode_text(ids), stops)) << "round " << round;
    characters += static_cast<std::int64_t>(count_characters(out));
  }
  EXPECT_GT(characters, static_cast<std::int64_t>(rounds));
}

TEST(StopStrings, HundredThousandRandomTokenSequencesStreamAsValidText) { stream_random_sequences(100'000, 9); }

TEST(StopStringsSlow, AMillionRandomTokenSequencesStreamAsValidText) { stream_random_sequences(1'000'000, 10); }

TEST(StopStrings, EmojiOverFourTokensComesOutWhole) {  // ferrox#124
  const ByteTokenizer tokenizer;
  StreamDecoder decoder(tokenizer);
  StopStrings none({});
  EXPECT_EQ(none.push(decoder.push(0xF0)), "");
  EXPECT_EQ(none.push(decoder.push(0x9F)), "");
  EXPECT_EQ(none.push(decoder.push(0x99)), "");
  EXPECT_EQ(none.push(decoder.push(0x82)), "\xF0\x9F\x99\x82");
}

}  // namespace
}  // namespace minnow
