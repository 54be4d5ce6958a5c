#include "minnow/text/tokenizer.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "minnow/base/error.hpp"
#include "minnow/base/philox.hpp"
#include "minnow/text/byte_tokenizer.hpp"
#include "minnow/text/char_tokenizer.hpp"
#include "minnow/text/stream_decoder.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

using namespace std::string_literals;

using Ids = std::vector<std::int32_t>;

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  return "no DataError";
}

std::string random_bytes(std::uint64_t seed, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text.push_back(static_cast<char>(random_bits({.seed = seed}, i) & 0xFFU));
  return text;
}

TEST(CharTokenizer, NumbersCharactersByCodePoint) {
  const auto tokenizer = CharTokenizer::train(
      "b\na\xC3\xA9\xF0\x9F\x99\x82"
      "a");
  EXPECT_EQ(tokenizer->vocab_size(), 5);
  EXPECT_EQ(tokenizer->encode("\nab\xC3\xA9\xF0\x9F\x99\x82"), (Ids{0, 1, 2, 3, 4}));
  EXPECT_EQ(tokenizer->boundary_id(), std::nullopt);
  EXPECT_EQ(tokenizer->id_of("\xC3\xA9"), 3);
  EXPECT_EQ(tokenizer->id_of("c"), std::nullopt);
  EXPECT_EQ(tokenizer->piece_of(0), "\n");
}

TEST(CharTokenizer, BoundaryComesFirst) {
  const auto tokenizer = CharTokenizer::train("zabcdefghijklmnopqrstuvwxy", true);
  EXPECT_EQ(tokenizer->vocab_size(), 27);
  EXPECT_EQ(tokenizer->boundary_id(), 0);
  EXPECT_EQ(tokenizer->encode("az"), (Ids{1, 26}));
  EXPECT_EQ(tokenizer->decode(Ids{0, 1, 26, 0}), "az");
  EXPECT_EQ(tokenizer->id_of("<|endoftext|>"), 0);
}

TEST(CharTokenizer, BoundarySpelledInTextIsText) {
  const auto tokenizer = CharTokenizer::train("<|endoftext|>", true);
  const Ids ids = tokenizer->encode("<|endoftext|>");
  EXPECT_EQ(ids.size(), 13U);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 0), 0);
}

TEST(CharTokenizer, UnknownCharacterIsNamedWithItsPlace) {
  const auto tokenizer = CharTokenizer::train("abc");
  const std::string text = message_of([&] { static_cast<void>(tokenizer->encode("ab\xC3\xA9")); });
  EXPECT_NE(text.find("'\xC3\xA9' (U+00E9) at character 2 (byte 2)"), std::string::npos) << text;
  const std::string bad = message_of([&] { static_cast<void>(tokenizer->encode("a\xFF")); });
  EXPECT_NE(bad.find("0xFF"), std::string::npos) << bad;
}

TEST(CharTokenizer, ReplacesByTheFallbackOrLeavesOut) {
  EXPECT_EQ(CharTokenizer::train("ab c?")->encode("a!", UnknownCharacter::kReplace), (Ids{2, 1}));
  EXPECT_EQ(CharTokenizer::train("ab c")->encode("a!", UnknownCharacter::kReplace), (Ids{1, 0}));
  EXPECT_EQ(CharTokenizer::train("abc")->encode("a!b", UnknownCharacter::kReplace), (Ids{0, 1}));
  EXPECT_EQ(CharTokenizer::train("abc")->fallback_id(), std::nullopt);
}

TEST(CharTokenizer, IllFormedBytesAreReplacementCharacters) {
  const auto tokenizer = CharTokenizer::train(
      "a\xFF"
      "b");
  EXPECT_EQ(tokenizer->vocab_size(), 3);
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("a\xF0\x9F"
                                                "b\xFE")),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
}

TEST(CharTokenizer, RoundTripsItsOwnText) {
  const std::string text = replace_invalid_utf8(random_bytes(3, 20000));
  const auto tokenizer = CharTokenizer::train(text);
  EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
}

TEST(CharTokenizer, RefusesTextWithNothingToLearn) {
  EXPECT_THROW(static_cast<void>(CharTokenizer::train("")), DataError);
  EXPECT_THROW(static_cast<void>(CharTokenizer::train(" \n\t\xE3\x80\x80")), DataError);
}

TEST(ByteTokenizer, RoundTripsAnyBytes) {
  for (const bool boundary : {false, true}) {
    const ByteTokenizer tokenizer(boundary);
    EXPECT_EQ(tokenizer.vocab_size(), boundary ? 257 : 256);
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const std::string text = random_bytes(seed, seed * 7);
      const Ids ids = tokenizer.encode(text);
      ASSERT_EQ(ids.size(), text.size());
      EXPECT_EQ(tokenizer.decode(ids), text);
    }
    EXPECT_EQ(tokenizer.encode("A")[0], 65);
  }
}

TEST(ByteTokenizer, PiecesAreGpt2StandIns) {
  const ByteTokenizer tokenizer(true);
  EXPECT_EQ(tokenizer.piece_of(' '), "\xC4\xA0");   // U+0120
  EXPECT_EQ(tokenizer.piece_of('\n'), "\xC4\x8A");  // U+010A
  EXPECT_EQ(tokenizer.piece_of('\t'), "\xC4\x89");  // U+0109
  EXPECT_EQ(tokenizer.piece_of('!'), "!");
  EXPECT_EQ(tokenizer.piece_of(173), "\xC5\x83");  // the last of the 68: U+0143
  EXPECT_EQ(tokenizer.piece_of(256), "<|endoftext|>");
  for (std::int32_t id = 0; id < 257; ++id) EXPECT_EQ(tokenizer.id_of(tokenizer.piece_of(id)), id);
}

TEST(Tokenizer, IdsOutsideTheVocabularyAreRefused) {
  const auto chars = CharTokenizer::train("abc");
  const ByteTokenizer bytes;
  EXPECT_THROW(static_cast<void>(chars->decode(Ids{3})), DataError);
  EXPECT_THROW(static_cast<void>(chars->decode(Ids{-1})), DataError);
  EXPECT_THROW(static_cast<void>(bytes.decode(Ids{256})), DataError);
  EXPECT_NE(message_of([&] { static_cast<void>(bytes.piece_of(300)); }).find("0 .. 255; got 300"), std::string::npos);
}

TEST(Tokenizer, CutsChangeNoId) {
  const std::string text = random_bytes(8, 3000) + std::string(50, '\x80') + "\xF0\x9F\x99\x82\xF0\x9F\x99\x82";
  const auto chars = CharTokenizer::train(text);
  const ByteTokenizer bytes;
  for (const Tokenizer* tokenizer :
       {static_cast<const Tokenizer*>(chars.get()), static_cast<const Tokenizer*>(&bytes)}) {
    const Ids whole = tokenizer->encode(text);
    for (std::size_t position = 0; position < text.size(); ++position) {
      const std::size_t cut = tokenizer->cut_before(text, position);
      ASSERT_LE(cut, position);
      ASSERT_GE(cut + 3, position);
      Ids parts = tokenizer->encode(text.substr(0, cut));
      tokenizer->encode_into(std::string_view(text).substr(cut), parts);
      ASSERT_EQ(parts, whole) << position;
      position += position % 5;
    }
  }
}

TEST(TokenizerJson, RoundTripsHardCharacters) {
  const std::string text = "a\"\\\n\0\x01\x7F\xC3\xA9\xE2\x80\xA8\xF0\x9F\x99\x82</script>"s;
  for (const bool boundary : {false, true}) {
    const auto tokenizer = CharTokenizer::train(text, boundary);
    const std::string json = tokenizer->to_json();
    const auto back = Tokenizer::from_json(json);
    EXPECT_EQ(back->name(), "char");
    EXPECT_EQ(back->boundary_id(), tokenizer->boundary_id());
    EXPECT_EQ(back->encode(text), tokenizer->encode(text));
    EXPECT_EQ(back->to_json(), json);
  }
}

TEST(TokenizerJson, RoundTripsBytes) {
  for (const bool boundary : {false, true}) {
    const ByteTokenizer tokenizer(boundary);
    const auto back = Tokenizer::from_json(tokenizer.to_json());
    EXPECT_EQ(back->name(), "byte");
    EXPECT_EQ(back->vocab_size(), tokenizer.vocab_size());
    const std::string text = random_bytes(1, 999);
    EXPECT_EQ(back->encode(text), tokenizer.encode(text));
    EXPECT_EQ(back->to_json(), tokenizer.to_json());
  }
}

TEST(TokenizerJson, HasTheNineKeysAndNoOther) {
  const auto json = nlohmann::json::parse(CharTokenizer::train("abc", true)->to_json());
  std::set<std::string> keys;
  for (const auto& item : json.items()) keys.insert(item.key());
  EXPECT_EQ(keys, (std::set<std::string>{"version", "truncation", "padding", "added_tokens", "normalizer",
                                         "pre_tokenizer", "post_processor", "decoder", "model"}));
  EXPECT_EQ(json["model"]["vocab"]["<|endoftext|>"], 0);
  EXPECT_EQ(json["added_tokens"][0]["special"], true);
  EXPECT_EQ(json["decoder"]["type"], "Fuse");
}

TEST(TokenizerJson, ReadsBytesInAnotherOrder) {
  auto json = nlohmann::json::parse(ByteTokenizer().to_json());
  for (auto& item : json["model"]["vocab"].items()) item.value() = 255 - item.value().get<int>();
  const auto tokenizer = Tokenizer::from_json(json.dump());
  EXPECT_EQ(tokenizer->encode("A"), (Ids{255 - 65}));
  EXPECT_EQ(tokenizer->decode(Ids{255 - 65}), "A");
}

TEST(TokenizerJson, RefusesWhatItCannotHonour) {
  const auto good = nlohmann::json::parse(CharTokenizer::train("abc", true)->to_json());
  const auto refused = [&](const auto& change) {
    auto json = good;
    change(json);
    return message_of([&] { static_cast<void>(Tokenizer::from_json(json.dump(), "x.json")); });
  };
  using Json = nlohmann::json;
  EXPECT_NE(refused([](Json& j) { j["extra"] = 1; }).find("\"extra\""), std::string::npos);
  EXPECT_NE(refused([](Json& j) { j.erase("decoder"); }).find("\"decoder\""), std::string::npos);
  EXPECT_NE(refused([](Json& j) { j["version"] = "2.0"; }).find("2.0"), std::string::npos);
  EXPECT_NE(refused([](Json& j) { j["normalizer"] = {{"type", "NFC"}}; }).find("normalizer"), std::string::npos);
  EXPECT_NE(refused([](Json& j) { j["model"]["merges"] = {"a b"}; }).find("1 merges"), std::string::npos);
  EXPECT_NE(refused([](Json& j) { j["model"]["vocab"]["b"] = 1; }).find("twice"), std::string::npos);
  EXPECT_NE(refused([](Json& j) { j["model"]["vocab"]["b"] = 9; }).find("got the id 9"), std::string::npos);
  EXPECT_NE(refused([](Json& j) { j["model"]["vocab"]["b"] = -1; }).find("got the id -1"), std::string::npos);
  EXPECT_NE(refused([](Json& j) { j["model"]["vocab"]["b"] = 1.5; }).find("got the id 1.5"), std::string::npos);
  EXPECT_NE(refused([](Json& j) { j["model"]["vocab"]["dd"] = 4; }).find("single characters"), std::string::npos);
  EXPECT_NE(refused([](Json& j) {
              j["pre_tokenizer"] = {{"type", "Whitespace"}};
            }).find("pre-tokenizer"),
            std::string::npos);
  EXPECT_NE(refused([](Json& j) { j["model"] = 3; }).find("BPE"), std::string::npos);
  EXPECT_NE(refused([](Json& j) { j = Json::array(); }).find("object"), std::string::npos);
}

TEST(TokenizerJson, RefusesDamageWithoutCrash) {
  const std::string good = CharTokenizer::train("abc\xC3\xA9", true)->to_json();
  for (std::size_t size = 0; size + 1 < good.size(); ++size) {
    ASSERT_THROW(static_cast<void>(Tokenizer::from_json(good.substr(0, size))), DataError) << size;
  }
  EXPECT_NE(message_of([] { static_cast<void>(Tokenizer::from_json(std::string(200000, '['))); }).find("nested"),
            std::string::npos);
  EXPECT_THROW(static_cast<void>(Tokenizer::from_json("{\"a\":\"\xFF\"}")), DataError);
}

TEST(StreamDecoder, GivesOnlyWholeCharacters) {
  const ByteTokenizer tokenizer;
  StreamDecoder decoder(tokenizer);
  EXPECT_EQ(decoder.push(0xE2), "");
  EXPECT_EQ(decoder.push('a'),
            "\xEF\xBF\xBD"
            "a");
  EXPECT_EQ(decoder.push(0xC3), "");
  EXPECT_EQ(decoder.finish(), "\xEF\xBF\xBD");
  EXPECT_EQ(decoder.finish(), "");
}

TEST(StreamDecoder, PiecesJoinToTheWholeDecode) {
  const ByteTokenizer tokenizer(true);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Ids ids;
    const auto size = random_below({.seed = seed, .stream = 1}, 0, 40);
    // Bytes from the corners of UTF-8 are likelier to meet than uniform ones.
    const std::string corners("aZ\x80\xBF\xC3\xA9\xE0\xED\xF0\x9F\xF4\x90\x99\x82\xFF\xC0", 16);
    for (std::uint64_t i = 0; i < size; ++i) {
      ids.push_back(static_cast<std::uint8_t>(corners[random_below({.seed = seed, .stream = 2}, i, 16)]));
    }
    StreamDecoder decoder(tokenizer);
    std::string joined;
    for (const std::int32_t id : ids) {
      const std::string piece = decoder.push(id);
      ASSERT_EQ(count_invalid_utf8(piece), 0U);
      joined += piece;
    }
    joined += decoder.finish();
    ASSERT_EQ(joined, tokenizer.decode_text(ids));
  }
}

}  // namespace
}  // namespace minnow
