#include "minnow/text/bpe_trainer.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "minnow/base/error.hpp"
#include "minnow/base/mapped_file.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/base/philox.hpp"
#include "minnow/text/bpe_tokenizer.hpp"

namespace minnow {
namespace {

using Pair = std::pair<std::string, std::string>;

std::vector<Pair> merges_by_bytes(const BpeModel& model) {
  std::vector<Pair> merges;
  const auto bytes = [&](std::int32_t id) { return bytes_of_piece(model.pieces[static_cast<std::size_t>(id)]); };
  for (const BpeMerge& merge : model.merges) merges.emplace_back(bytes(merge.left), bytes(merge.right));
  return merges;
}

BpeModel train(const std::string& text, const BpeTraining& training) {
  const std::vector<std::string_view> texts = {text};
  return train_bpe(texts, training);
}

/// The rule itself: count all pairs anew for each merge.
std::vector<Pair> train_plainly(const std::string& text, const BpeTraining& training) {
  std::map<std::string, std::int64_t> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = piece_end(training.pattern, text, begin);
    ++words[text.substr(begin, end - begin)];
    begin = end;
  }
  std::vector<std::pair<std::vector<std::string>, std::int64_t>> split;
  for (const auto& [word, count] : words) {
    split.emplace_back();
    for (const char c : word) split.back().first.emplace_back(1, c);
    split.back().second = count;
  }
  std::vector<Pair> merges;
  while (static_cast<std::int64_t>(merges.size()) < training.vocab_size - 256) {
    std::map<Pair, std::int64_t> counts;
    for (const auto& [tokens, count] : split) {
      for (std::size_t i = 0; i + 1 < tokens.size(); ++i) counts[{tokens[i], tokens[i + 1]}] += count;
    }
    Pair best;
    std::int64_t most = 0;
    for (const auto& [pair, count] : counts) {
      if (count >= most) best = pair, most = count;  // the map ascends: the last of equals is the greatest
    }
    if (most < training.min_frequency) break;
    merges.push_back(best);
    for (auto& [tokens, count] : split) {
      std::vector<std::string> merged;
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool here = i + 1 < tokens.size() && tokens[i] == best.first && tokens[i + 1] == best.second;
        merged.push_back(here ? tokens[i] + tokens[i + 1] : tokens[i]);
        i += here ? 1 : 0;
      }
      tokens = std::move(merged);
    }
  }
  return merges;
}

std::string random_words(std::uint64_t seed, std::size_t size, std::string_view letters) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text.push_back(letters[random_below({.seed = seed}, i, letters.size())]);
  return text;
}

TEST(BpeTrainer, FollowsTheRule) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto letters = seed % 2 == 0 ? std::string_view("aab \xC3\xFF") : std::string_view("abcdefgh    .\n");
    const std::string text = random_words(seed, 3000, letters);
    const auto pattern = seed % 5 == 0 ? SplitPattern::kNone : SplitPattern::kGpt2;
    const BpeTraining training = {.vocab_size = 256 + 60, .min_frequency = 2, .pattern = pattern};
    ASSERT_EQ(merges_by_bytes(train(text, training)), train_plainly(text, training)) << seed;
  }
}

TEST(BpeTrainer, GivesTheReferenceOfTheFixture) {
  const char* const shared = std::getenv("MINNOW_SHARED_DIR");
  if (shared == nullptr) GTEST_SKIP() << "needs the shared data: set MINNOW_SHARED_DIR";
  const std::string folder = std::string(shared) + "/data/tokenizer/bpe_training_fixture/";
  const MappedFile corpus = MappedFile::open(folder + "corpus.en");
  const MappedFile merges = MappedFile::open(folder + "reference_merges.txt");
  const MappedFile vocab = MappedFile::open(folder + "reference_vocab.json");
  const std::vector<std::string_view> texts = {corpus.text()};
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    const BpeModel model = train_bpe(texts, {.vocab_size = 500, .min_frequency = 1, .special = {"<|endoftext|>"}});
    EXPECT_EQ(write_merges_txt(model), "#version: 0.2\n" + std::string(merges.text()));
    std::set<std::string> names;
    const nlohmann::json reference = nlohmann::json::parse(vocab.text());
    for (const auto& item : reference.items()) names.insert(item.key());
    EXPECT_EQ(std::set<std::string>(model.pieces.begin(), model.pieces.end()), names);
    EXPECT_EQ(model.pieces[0], "<|endoftext|>");
  }
  set_threads(2);
}

TEST(BpeTrainer, DependsOnTheTextAlone) {
  std::string text;
  for (std::uint64_t i = 0; text.size() < 2'200'000; ++i) text += random_words(i, 1 + i % 9, "etaoinshr") + " ";
  std::string expected;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    const std::string json = BpeTokenizer(train(text, {.vocab_size = 400})).to_json();
    if (expected.empty()) expected = json;
    EXPECT_EQ(json, expected);
  }
  set_threads(2);
  const std::size_t half = text.rfind(' ', text.size() / 2);
  const std::vector<std::string_view> parts = {std::string_view(text).substr(half),
                                               std::string_view(text).substr(0, half)};
  EXPECT_EQ(BpeTokenizer(train_bpe(parts, {.vocab_size = 400})).to_json(), expected);
}

TEST(BpeTrainer, SpecialTokensAreNoText) {
  const BpeTraining training = {.vocab_size = 300, .min_frequency = 1, .special = {"<a>", "xy"}};
  const BpeModel model = train("one<a>one<a>one xy xy xy", training);
  EXPECT_EQ(model.added.size(), 2U);
  EXPECT_EQ(model.pieces[1], "xy");
  for (const Pair& merge : merges_by_bytes(model)) {
    EXPECT_EQ((merge.first + merge.second).find_first_of("<xy"), std::string::npos) << merge.first << merge.second;
  }
  // A merge that would make the name of a special token is left out.
  const BpeModel other = train("x-y", {.vocab_size = 300, .min_frequency = 1, .special = {"x-"}});
  for (const Pair& merge : merges_by_bytes(other)) EXPECT_NE(merge.first + merge.second, "x-");
}

TEST(BpeTrainer, RarePairsStayApart) {
  EXPECT_EQ(merges_by_bytes(train("ab ab ab cd cd", {.vocab_size = 300, .min_frequency = 3})),
            (std::vector<Pair>{{"a", "b"}}));
}

TEST(BpeTrainer, RefusesWhatGivesNothing) {
  EXPECT_THROW(static_cast<void>(train("", {})), DataError);
  EXPECT_THROW(static_cast<void>(train(" \n\t\xE3\x80\x80", {})), DataError);
  EXPECT_THROW(static_cast<void>(train("abc", {.vocab_size = 255})), ConfigError);
  EXPECT_THROW(static_cast<void>(train("abc", {.vocab_size = 256, .special = {"<a>"}})), ConfigError);
  EXPECT_THROW(static_cast<void>(train("abc", {.vocab_size = 999, .special = {"<a>", "<a>"}})), ConfigError);
  EXPECT_THROW(static_cast<void>(train("abc", {.vocab_size = 999, .special = {"a"}})), ConfigError);
  EXPECT_THROW(static_cast<void>(train("abc", {.vocab_size = 999, .special = {""}})), ConfigError);
}

}  // namespace
}  // namespace minnow
