#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "minnow/base/error.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/base/philox.hpp"
#include "minnow/text/bpe_tokenizer.hpp"
#include "minnow/text/bpe_trainer.hpp"
#include "minnow/text/stream_decoder.hpp"
#include "minnow/text/utf8.hpp"
#include "text/cpu_seconds.hpp"

namespace minnow {
namespace {

using Ids = std::vector<std::int32_t>;

std::string noise(std::uint64_t seed, std::size_t size, std::string_view letters) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text.push_back(letters[random_below({.seed = seed}, i, letters.size())]);
  return text;
}

BpeModel learned(SplitPattern pattern, std::vector<std::string> special = {}) {
  const std::string text = noise(1, 60'000, "aaabbc d'.\n1\xC3\xA9\xCC\x81^");
  const std::vector<std::string_view> texts = {text};
  return train_bpe(texts, {.vocab_size = 600, .pattern = pattern, .special = std::move(special)});
}

/// The rule itself: the pair of lowest rank, leftmost, merges, until there is none.
Ids merge_plainly(const BpeModel& model, std::string_view text) {
  Ids ids;
  const auto rank_of = [&](std::int32_t left, std::int32_t right) {
    const auto found = std::find_if(model.merges.begin(), model.merges.end(),
                                    [&](const BpeMerge& merge) { return merge.left == left && merge.right == right; });
    return static_cast<std::size_t>(found - model.merges.begin());
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = piece_end(model.pattern, text, begin);
    Ids tokens;
    for (const char c : text.substr(begin, end - begin)) {
      const auto name = piece_of_bytes({&c, 1});
      tokens.push_back(
          static_cast<std::int32_t>(std::find(model.pieces.begin(), model.pieces.end(), name) - model.pieces.begin()));
    }
    while (tokens.size() > 1) {
      std::size_t best = model.merges.size(), where = 0;
      for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const std::size_t rank = rank_of(tokens[i], tokens[i + 1]);
        if (rank < best) best = rank, where = i;
      }
      if (best == model.merges.size()) break;
      tokens[where] = model.merges[best].result;
      tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(where) + 1);
    }
    ids.insert(ids.end(), tokens.begin(), tokens.end());
    begin = end;
  }
  return ids;
}

TEST(BpeEncode, MergesByTheRuleShortAndLong) {
  for (const auto pattern : {SplitPattern::kGpt2, SplitPattern::kNone}) {
    const BpeModel model = learned(pattern);
    const BpeTokenizer tokenizer(model);
    for (std::uint64_t seed = 2; seed < 60; ++seed) {
      const std::string text = noise(seed, seed * 4, "aaabbc d'.\n1\xC3\xA9^\xFFz");
      ASSERT_EQ(tokenizer.encode(text), merge_plainly(model, text)) << text;
      ASSERT_EQ(tokenizer.encode(text), merge_plainly(model, text)) << "from the cache: " << text;
    }
  }
}

TEST(BpeEncode, AnyBytesComeBack) {
  for (const auto pattern : {SplitPattern::kGpt2, SplitPattern::kCl100k, SplitPattern::kNone}) {
    const BpeTokenizer tokenizer(learned(pattern));
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      std::string text;
      for (std::uint64_t i = 0; i < seed; ++i)
        text.push_back(static_cast<char>(random_bits({.seed = seed}, i) & 0xFFU));
      const Ids ids = tokenizer.encode(text);
      ASSERT_EQ(tokenizer.decode(ids), text);
      StreamDecoder stream(tokenizer);
      std::string joined;
      for (const std::int32_t id : ids) {
        joined += stream.push(id);
        ASSERT_EQ(count_invalid_utf8(joined), 0U);
      }
      ASSERT_EQ(joined + stream.finish(), replace_invalid_utf8(text));
    }
  }
}

TEST(BpeEncode, ThreadsAndPartsChangeNoId) {
  const BpeTokenizer tokenizer(learned(SplitPattern::kCl100k));
  const std::string text = noise(7, 700'000, "aaabbc d'.\n1\xC3\xA9^  ");
  set_threads(1);
  const Ids expected = tokenizer.encode(text);
  for (const int count : {2, 3}) {
    set_threads(count);
    EXPECT_EQ(tokenizer.encode(text), expected);
  }
  set_threads(2);
  Ids parts;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t cut = rest.size() > 1000 ? tokenizer.cut_before(rest, 1000) : rest.size();
    ASSERT_GT(cut, 0U);
    tokenizer.encode_into(rest.substr(0, cut), parts);
    rest.remove_prefix(cut);
  }
  EXPECT_EQ(parts, expected);
}

// A text of one character, of blanks, of marks without a letter: time grows with the length, not with its square.
TEST(BpeEncode, OneCharacterAMillionTimesTakesLinearTime) {
  const std::vector<std::string_view> texts = {"aaaa aaaa ^^^^ ^^^^    \n    \n\xCC\x81\xCC\x81\xCC\x81\xCC\x81"};
  set_threads(1);
  for (const auto pattern : {SplitPattern::kGpt2, SplitPattern::kCl100k, SplitPattern::kNone}) {
    const BpeTokenizer tokenizer(train_bpe(texts, {.vocab_size = 300, .min_frequency = 1, .pattern = pattern}));
    for (const std::string_view unit : {"a", "^", " ", "\xCC\x81", "\n", "1", " a"}) {
      std::string half;
      while (half.size() < 500'000) half += unit;
      const std::string whole = half + half;
      const double one = seconds_of([&] { static_cast<void>(tokenizer.encode(half)); });
      const double two = seconds_of([&] { static_cast<void>(tokenizer.encode(whole)); });
      EXPECT_LT(two, 2) << unit << split_name(pattern);
      EXPECT_LT(two, 2.5 * one + 0.01) << unit << split_name(pattern);
    }
  }
  set_threads(2);
}

// Merges that have blanks in them survive the file.
TEST(BpeEncode, MergesAcrossBlanksSurviveSaving) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += i % 3 == 0 ? "a b " : "b a  ";
  const std::vector<std::string_view> texts = {text};
  const BpeTokenizer tokenizer(train_bpe(texts, {.vocab_size = 300, .pattern = SplitPattern::kNone}));
  bool blank = false;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    const std::string_view bytes = tokenizer.bytes_of(id);
    blank = blank || (bytes.size() > 2 && bytes.find(' ', 1) != std::string_view::npos);
  }
  EXPECT_TRUE(blank);
  const auto back = Tokenizer::from_json(tokenizer.to_json());
  for (std::uint64_t line = 0; line < 1000; ++line) {
    const std::string some = noise(line, 30, "ab  ");
    ASSERT_EQ(back->encode(some), tokenizer.encode(some));
  }
}

TEST(BpeEncode, BytesThatTheVocabularyLacks) {
  const BpeTokenizer tokenizer(read_tiktoken("YQ== 0\nYg== 1\nYWI= 2\n", SplitPattern::kGpt2));
  EXPECT_EQ(tokenizer.encode("ab"), (Ids{2}));
  try {
    static_cast<void>(tokenizer.encode("abA"));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("0x41 at byte 2"), std::string::npos) << error.what();
  }
  EXPECT_EQ(tokenizer.encode("aAbA", UnknownCharacter::kReplace), (Ids{2}));
  std::string large(300'000, 'a');
  large[200'001] = 'X';
  large[100'001] = 'Y';
  try {
    static_cast<void>(tokenizer.encode(large));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("at byte 100001"), std::string::npos) << error.what();
  }
}

TEST(BpeEncode, AddedTokensFollowTheirFlags) {
  BpeModel model = learned(SplitPattern::kGpt2);
  const auto add = [&](AddedToken token) {
    token.id = static_cast<std::int32_t>(model.pieces.size());
    model.pieces.push_back(token.content);
    model.added.push_back(token);
    return token.id;
  };
  const auto mark = add({.content = "<|end|>"});
  const auto longer = add({.content = "<|end|>>", .special = false});
  const auto left = add({.content = "[L]", .lstrip = true, .special = false});
  const auto right = add({.content = "[R]", .rstrip = true, .special = false});
  const auto word = add({.content = "word", .single_word = true, .special = false});
  const BpeTokenizer tokenizer(model);
  const auto marked = [&](std::string_view text) {
    Ids ids;
    tokenizer.encode_marked_into(text, ids);
    return ids;
  };
  const auto a = tokenizer.encode("a").front();
  EXPECT_EQ(marked("a<|end|>a"), (Ids{a, mark, a}));
  const Ids plain = tokenizer.encode("a<|end|>a");
  EXPECT_EQ(std::count(plain.begin(), plain.end(), mark), 0);
  EXPECT_EQ(marked("<|end|>>"), (Ids{longer}));
  EXPECT_EQ(tokenizer.encode("a  [L]a"), (Ids{a, left, a}));
  EXPECT_EQ(tokenizer.encode("a[R] \n a"), (Ids{a, right, a}));
  EXPECT_EQ(tokenizer.encode("word"), (Ids{word}));
  EXPECT_NE(tokenizer.encode("words"), (Ids{word, tokenizer.encode("s").front()}));
  EXPECT_EQ(tokenizer.bytes_of(mark), "");
  EXPECT_EQ(tokenizer.bytes_of(word), "word");
  EXPECT_EQ(tokenizer.boundary_id(), mark);
  const auto back = Tokenizer::from_json(tokenizer.to_json());
  EXPECT_EQ(back->to_json(), tokenizer.to_json());
  EXPECT_EQ(back->encode("a  [L]a[R] word"), tokenizer.encode("a  [L]a[R] word"));
}

TEST(BpeEncode, PrefixSpaceIsAddedOnce) {
  BpeModel model = learned(SplitPattern::kGpt2);
  model.add_prefix_space = true;
  const BpeTokenizer tokenizer(model);
  EXPECT_EQ(tokenizer.encode("a"), tokenizer.encode(" a"));
  EXPECT_EQ(tokenizer.cut_before("a b a b", 3), 0U);
  EXPECT_EQ(Tokenizer::from_json(tokenizer.to_json())->encode("a b"), tokenizer.encode(" a b"));
}

TEST(BpeFiles, TheGpt2PairLeadsBack) {
  const BpeTokenizer tokenizer(learned(SplitPattern::kGpt2, {"<|endoftext|>"}));
  const BpeTokenizer back(read_vocab_merges(write_vocab_json(tokenizer.model()), write_merges_txt(tokenizer.model())));
  EXPECT_EQ(back.to_json(), tokenizer.to_json());
  EXPECT_THROW(static_cast<void>(write_vocab_json(learned(SplitPattern::kCl100k))), DataError);
  EXPECT_THROW(static_cast<void>(write_merges_txt(learned(SplitPattern::kNone))), DataError);
}

TEST(BpeFiles, RefusesWhatItCannotHonour) {
  const auto good = nlohmann::json::parse(BpeTokenizer(learned(SplitPattern::kCl100k)).to_json());
  const auto refused = [&](const std::function<void(nlohmann::json&)>& change) -> std::string {
    auto json = good;
    change(json);
    try {
      static_cast<void>(Tokenizer::from_json(json.dump(), "x.json"));
    } catch (const DataError& error) {
      return error.what();
    }
    return "no DataError";
  };
  const auto split = [](nlohmann::json& json) -> nlohmann::json& { return json["pre_tokenizer"]["pretokenizers"][0]; };
  EXPECT_NE(refused([&](auto& j) { split(j)["pattern"]["Regex"] = "x+"; }).find("known pattern"), std::string::npos);
  EXPECT_NE(refused([&](auto& j) { split(j)["behavior"] = "Removed"; }).find("pre-tokenizer"), std::string::npos);
  EXPECT_NE(refused([&](auto& j) { split(j)["type"] = "Digits"; }).find("Digits"), std::string::npos);
  EXPECT_NE(refused([&](auto& j) { j["pre_tokenizer"]["pretokenizers"][1]["use_regex"] = true; }).find("use_regex"),
            std::string::npos);
  EXPECT_NE(refused([](auto& j) { j["model"]["merges"][0] = "a b c"; }).find("blank between"), std::string::npos);
  EXPECT_NE(refused([](auto& j) { j["model"]["merges"][0] = "zz yy"; }).find("\"zz\""), std::string::npos);
  EXPECT_NE(refused([](auto& j) { j["model"]["byte_fallback"] = true; }).find("byte_fallback"), std::string::npos);
  EXPECT_NE(refused([](auto& j) { j["model"]["dropout"] = 0.5; }).find("dropout"), std::string::npos);
  EXPECT_NE(refused([](auto& j) { j["model"]["vocab"]["far"] = 1000000; }).find("gaps"), std::string::npos);
}

}  // namespace
}  // namespace minnow
