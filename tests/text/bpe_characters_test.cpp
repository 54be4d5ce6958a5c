#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "minnow/base/error.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/base/philox.hpp"
#include "minnow/text/bpe_tokenizer.hpp"
#include "minnow/text/stream_decoder.hpp"
#include "minnow/text/utf8.hpp"
#include "text/cpu_seconds.hpp"

namespace minnow {
namespace {

using Ids = std::vector<std::int32_t>;
using Json = nlohmann::json;

const std::string kSign = "\xE2\x96\x81";

Json replace(const std::string& from, const std::string& to) {
  return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}};
}

const Json& llama_normalizer() {
  static const Json made = {
      {"type", "Sequence"},
      {"normalizers", Json::array({Json{{"type", "Prepend"}, {"prepend", kSign}}, replace(" ", kSign)})}};
  return made;
}

Json metaspace(const std::string& scheme, bool split) {
  return {{"type", "Metaspace"}, {"replacement", kSign}, {"prepend_scheme", scheme}, {"split", split}};
}

Json decoders(bool strips) {
  Json made = Json::array({replace(kSign, " "), Json{{"type", "ByteFallback"}}, Json{{"type", "Fuse"}}});
  if (strips) made.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  return made;
}

/// A file as those of LLaMA 2: <unk> <s> </s>, the bytes from 3 on, and from 259 on a few tokens of characters.
Json file_of(const Json& normalizer, const Json& pre_tokenizer, bool strips) {
  Json vocabulary = {{"<unk>", 0}, {"<s>", 1}, {"</s>", 2}};
  for (int byte = 0; byte < 256; ++byte) vocabulary[fmt::format("<0x{:02X}>", byte)] = byte + 3;
  for (const std::string& name : {kSign, std::string("a"), std::string("b"), std::string("c"), std::string("\u00E9"),
                                  kSign + "a", std::string("ab"), kSign + "ab", std::string("abc"), kSign + kSign,
                                  kSign + kSign + kSign + kSign, std::string("c\u00E9")}) {
    vocabulary.emplace(name, vocabulary.size());
  }
  Json added = Json::array();
  for (const char* name : {"<unk>", "<s>", "</s>"}) {
    added.push_back({{"id", vocabulary[name]},
                     {"content", name},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
  }
  const Json merges = {
      kSign + " a", "a b", kSign + "a b", "ab c", kSign + " " + kSign, kSign + kSign + " " + kSign + kSign, "c \u00E9"};
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", added},
          {"normalizer", normalizer},
          {"pre_tokenizer", pre_tokenizer},
          {"post_processor", nullptr},
          {"decoder", {{"type", "Sequence"}, {"decoders", decoders(strips)}}},
          {"model",
           {{"type", "BPE"},
            {"dropout", nullptr},
            {"unk_token", "<unk>"},
            {"continuing_subword_prefix", nullptr},
            {"end_of_word_suffix", nullptr},
            {"fuse_unk", true},
            {"byte_fallback", true},
            {"ignore_merges", false},
            {"vocab", vocabulary},
            {"merges", merges}}}};
}

Json llama2() { return file_of(llama_normalizer(), nullptr, true); }

std::shared_ptr<const Tokenizer> read(const Json& file) { return Tokenizer::from_json(file.dump()); }

Ids marked(const Tokenizer& tokenizer, std::string_view text) {
  Ids ids;
  dynamic_cast<const BpeTokenizer&>(tokenizer).encode_marked_into(text, ids);
  return ids;
}

std::string noise(std::uint64_t seed, std::size_t parts, const std::vector<std::string>& alphabet) {
  std::string text;
  for (std::size_t i = 0; i < parts; ++i) text += alphabet[random_below({.seed = seed}, i, alphabet.size())];
  return text;
}

const std::vector<std::string>& letters() {
  static const std::vector<std::string> made = {"a", "a",   "b", "c",  "\u00E9", " ",
                                                " ", kSign, "x", "\n", "\u4E2D", "\xFF"};
  return made;
}

struct Golden {
  std::string text;
  Ids ids;
  std::string back;
};

/// What tokenizers 0.23.3 makes of these files.
void expect_golden(const Json& file, const std::vector<Golden>& cases) {
  const auto tokenizer = read(file);
  for (const Golden& golden : cases) {
    EXPECT_EQ(marked(*tokenizer, golden.text), golden.ids) << golden.text;
    EXPECT_EQ(tokenizer->decode(golden.ids), golden.back);
  }
}

TEST(BpeCharacters, NormalizerPrependsToEachStretch) {
  expect_golden(llama2(), {{"abc ab", {266, 262, 266}, "abc ab"},
                           {"", {}, ""},
                           {"  ab", {268, 266}, "  ab"},
                           {"a</s>ab </s> c", {264, 2, 266, 259, 2, 268, 262}, "a ab   c"},
                           {"\u4E2D\u00E9\n", {259, 231, 187, 176, 263, 13}, "\u4E2D\u00E9\n"},
                           {"c\u00E9    \u00E9", {259, 270, 269, 263}, "c\u00E9    \u00E9"},
                           {"     a", {269, 259, 264}, "     a"},
                           {"<0x41>ab" + kSign + "ab", {259, 63, 51, 123, 55, 52, 65, 265, 266}, "<0x41>ab ab"}});
}

TEST(BpeCharacters, MetaspacePrependsWhereNoBlankStands) {
  expect_golden(file_of(nullptr, metaspace("first", false), true),
                {{"  ab", {259, 266}, " ab"},
                 {"a</s>ab </s> c", {264, 2, 265, 259, 2, 259, 262}, "aab  c"},
                 {"     a", {269, 264}, "    a"}});
  expect_golden(file_of(nullptr, metaspace("always", false), true),
                {{"a</s>ab </s> c", {264, 2, 266, 259, 2, 259, 262}, "a ab  c"}});
  expect_golden(file_of(nullptr, metaspace("never", false), false),
                {{"abc ab", {267, 266}, "abc ab"}, {"  ab", {259, 266}, "  ab"}});
  expect_golden(file_of(nullptr, metaspace("always", true), true),
                {{"c\u00E9    \u00E9", {259, 270, 259, 259, 259, 259, 263}, "c\u00E9    \u00E9"}});
}

// What transformers makes of a SentencePiece model: a blank more at the beginning, whatever stands there.
TEST(BpeCharacters, MetaspaceBehindANormalizerThatDoubles) {
  const Json doubling = {{"type", "Replace"}, {"pattern", {{"Regex", "\\A" + kSign}}}, {"content", kSign + kSign}};
  Json file = file_of({{"type", "Sequence"}, {"normalizers", Json::array({replace(" ", kSign), doubling})}},
                      {{"type", "Sequence"}, {"pretokenizers", Json::array({metaspace("always", false)})}}, true);
  expect_golden(file, {{"abc ab", {266, 262, 266}, "abc ab"},
                       {"  ab", {268, 266}, "  ab"},
                       {"a</s>ab </s> c", {264, 2, 266, 259, 2, 268, 262}, "a ab   c"}});
  EXPECT_EQ(Json::parse(read(file)->to_json()), file);
  file["added_tokens"][0]["normalized"] = true;
  EXPECT_THROW(static_cast<void>(read(file)), DataError);
}

TEST(BpeCharacters, WritesTheFileThatItRead) {
  const Json idle = {
      {"type", "Split"}, {"pattern", {{"String", " "}}}, {"behavior", "MergedWithPrevious"}, {"invert", false}};
  for (const Json& file :
       {llama2(), file_of(nullptr, metaspace("first", false), true), file_of(replace(" ", kSign), idle, false),
        file_of(nullptr, metaspace("never", true), false)}) {
    EXPECT_EQ(Json::parse(read(file)->to_json()), file);
    EXPECT_EQ(read(file)->boundary_id(), 2);
  }
}

// Where pieces are cut, and on how many threads, changes no id. A file whose whole texts might be tokens is never cut.
TEST(BpeCharacters, CutsChangeNothing) {
  Json uncut = llama2();
  uncut["model"]["ignore_merges"] = true;
  const auto tokenizer = read(llama2()), whole = read(uncut);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::string text = "x" + noise(seed, 40, letters());
    ASSERT_EQ(tokenizer->encode(text), whole->encode(text)) << text;
  }
  const std::string text = noise(1, 200'000, letters());
  const Ids expected = whole->encode(text);
  for (const int threads : {1, 2, 3}) {
    set_threads(threads);
    EXPECT_EQ(tokenizer->encode(text), expected);
  }
  set_threads(2);
}

TEST(BpeCharacters, AnyBytesComeBackAndStreamAsUtf8) {
  const auto tokenizer = read(llama2());
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::string text;
    for (std::size_t i = 0; i < 50; ++i) text.push_back(static_cast<char>(random_below({.seed = seed}, i, 256)));
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
    Ids ids;
    for (std::size_t i = 0; i < 50; ++i) {
      ids.push_back(static_cast<std::int32_t>(
          random_below({.seed = seed, .stream = 1}, i, static_cast<std::uint64_t>(tokenizer->vocab_size()))));
    }
    StreamDecoder decoder(*tokenizer);
    std::string joined;
    for (const std::int32_t id : ids) {
      const std::string part = decoder.push(id);
      ASSERT_EQ(count_invalid_utf8(part), 0U);
      joined += part;
    }
    EXPECT_EQ(joined + decoder.finish(), tokenizer->decode_text(ids));
  }
}

TEST(BpeCharacters, UnknownCharactersWithoutBytes) {
  Json file = llama2();
  file["model"]["byte_fallback"] = false;
  const auto fused = read(file);
  EXPECT_EQ(fused->encode("axyb x", UnknownCharacter::kReplace), (Ids{264, 0, 261, 259, 0}));
  file["model"]["fuse_unk"] = false;
  const auto single = read(file);
  EXPECT_EQ(single->encode("axyb x", UnknownCharacter::kReplace), (Ids{264, 0, 0, 261, 259, 0}));
  EXPECT_EQ(single->unknown_in("axyb x").characters, 3);
  EXPECT_EQ(single->fallback_id(), 0);
  try {
    static_cast<void>(single->encode("a \u4E2D"));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("(U+4E2D) at byte 2"), std::string::npos) << error.what();
  }
  file["model"]["unk_token"] = nullptr;  // left out, so that what stands beside it comes together
  EXPECT_EQ(read(file)->encode(" x  x a", UnknownCharacter::kReplace), (Ids{269, 264}));
}

// Nothing splits these texts: they merge as a whole.
TEST(BpeCharacters, OneCharacterAMillionTimesTakesLinearTime) {
  const auto tokenizer = read(llama2());
  set_threads(1);
  for (const std::string& unit :
       {std::string("a"), std::string(" "), std::string("\xCC\x81"), std::string("ab"), kSign}) {
    std::string half;
    while (half.size() < 500'000) half += unit;
    const std::string whole = half + half;
    const double one = seconds_of([&] { static_cast<void>(tokenizer->encode(half)); });
    const double two = seconds_of([&] { static_cast<void>(tokenizer->encode(whole)); });
    EXPECT_LT(two, 2) << unit;
    EXPECT_LT(two, 2.5 * one + 0.01) << unit;
  }
  set_threads(2);
}

// A sign may merge with what stands before it: the text is not cut there.
TEST(BpeCharacters, TokensMayReachOverWords) {
  Json file = llama2();
  file["model"]["vocab"]["b" + kSign] = 271;
  file["model"]["merges"].insert(file["model"]["merges"].begin(), "b " + kSign);
  EXPECT_EQ(read(file)->encode("ab ab"), (Ids{264, 271, 265}));
}

TEST(BpeCharacters, LongTextsAreCutOnlyWithoutPrefix) {
  EXPECT_EQ(read(llama2())->cut_before("ab ab ab", 7), 0U);
  EXPECT_EQ(read(file_of(replace(" ", kSign), nullptr, false))->cut_before("ab ab ab", 7), 5U);
}

TEST(BpeCharacters, RefusesWhatItCannotHonour) {
  const auto refused = [](const auto& change) -> std::string {
    Json json = llama2();
    change(json);
    try {
      static_cast<void>(read(json));
    } catch (const DataError& error) {
      return error.what();
    }
    return "no DataError";
  };
  EXPECT_NE(refused([](Json& j) { j["normalizer"] = {{"type", "NFC"}}; }).find("NFC"), std::string::npos);
  EXPECT_NE(refused([](Json& j) { j["normalizer"]["normalizers"].erase(1); }).find("normalizer"), std::string::npos);
  EXPECT_NE(refused([](Json& j) { j["normalizer"] = nullptr; }).find("Metaspace"), std::string::npos);
  EXPECT_NE(refused([](Json& j) { j["pre_tokenizer"] = metaspace("first", true); }).find("pre-tokenizer"),
            std::string::npos);
  EXPECT_NE(refused([](Json& j) { j["decoder"]["decoders"].erase(1); }).find("ByteFallback"), std::string::npos);
  EXPECT_NE(refused([](Json& j) { j["decoder"] = nullptr; }).find("decoded by"), std::string::npos);
  EXPECT_NE(refused([](Json& j) { j["model"]["unk_token"] = "[UNK]"; }).find("[UNK]"), std::string::npos);
  EXPECT_NE(refused([](Json& j) {
              j["normalizer"] = nullptr;
              j["pre_tokenizer"] = metaspace("last", false);
            }).find("\"last\""),
            std::string::npos);
}

}  // namespace
}  // namespace minnow
