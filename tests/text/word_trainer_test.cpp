#include "minnow/text/word_trainer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "minnow/base/error.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/text/word_tokenizer.hpp"

namespace minnow {
namespace {

using Pieces = std::vector<std::string>;
using Texts = std::vector<std::string_view>;
using Ids = std::vector<std::int32_t>;

TEST(WordTrainer, TakesWordsByFallingCount) {
  const Texts texts = {"the cat and the dog and the cow.\n", "the cat\n"};
  const WordModel model = train_words(texts, {.vocab_size = 100, .min_frequency = 2});
  // Counted: " the" 2, "the" 2, " cat" 2, " and" 2, "\n" 2.
  EXPECT_EQ(model.pieces, (Pieces{"[UNK]", "\n", " and", " cat", " the", "the"}));
  EXPECT_EQ(train_words(texts, {.vocab_size = 3, .min_frequency = 2}).pieces.size(), 3U);
}

TEST(WordTrainer, KnownTextsComeBackAsTheyWere) {
  const std::string text = "One  line,\n\n  and \xC3\xA9t\xC3\xA9 - one 12345 more!\r\n";
  const WordTokenizer tokenizer(train_words(Texts{text}, {.vocab_size = 100, .min_frequency = 1}));
  EXPECT_TRUE(tokenizer.keeps_text());
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  EXPECT_THROW((void)tokenizer.encode("other"), DataError);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("One other", UnknownCharacter::kReplace)), "One[UNK]");
}

TEST(WordTrainer, LearnsPiecesOfWords) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += "Running runner runs. ";
  const WordModel model = train_word_pieces(Texts{text}, {.vocab_size = 60, .min_frequency = 2});
  const auto has = [&](const char* name) {
    return std::find(model.pieces.begin(), model.pieces.end(), name) != model.pieces.end();
  };
  EXPECT_TRUE(has("run") && has("r") && has("##n") && has(".") && has("runner"));
  EXPECT_FALSE(has("R"));
  const WordTokenizer tokenizer(model);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("Runner runs.")), "runner runs.");
  const WordModel cased = train_word_pieces(Texts{text}, {.vocab_size = 60, .lowercase = false});
  EXPECT_NE(std::find(cased.pieces.begin(), cased.pieces.end(), "Running"), cased.pieces.end());
}

TEST(WordTrainer, FewTokensHaveTheMostFrequentCharacters) {
  const WordModel model = train_word_pieces(Texts{"aaaa bbb cc d aa b"}, {.vocab_size = 9, .min_frequency = 1});
  EXPECT_EQ(model.pieces.size(), 9U);
  const WordTokenizer tokenizer(model);
  EXPECT_EQ(tokenizer.encode("d", UnknownCharacter::kReplace), (Ids{1}));
}

// Every pair of this text stands there twice. The tokens, and their order, are those of tokenizers 0.23.3.
TEST(WordTrainer, AmongEqualCountsOlderTokensMerge) {
  const Texts texts = {"yz ab yz ab qabc qabc"};
  const auto learned = [&](std::int64_t merges) {
    const std::int64_t characters = 5 + 6 + 4;  // special tokens, a b c q y z, ##a ##b ##c ##z
    const WordModel model = train_word_pieces(texts, {.vocab_size = characters + merges});
    return std::vector<std::string>(model.pieces.begin() + static_cast<std::ptrdiff_t>(characters), model.pieces.end());
  };
  EXPECT_EQ(learned(5), (std::vector<std::string>{"ab", "qa", "yz", "##bc", "qabc"}));
}

TEST(WordTrainer, SameOnAnyNumberOfThreads) {
  std::string text;
  for (int i = 0; i < 60'000; ++i)
    text += "word" + std::to_string(i % 977) + (i % 7 == 0 ? "\n" : " some Other, thing ");
  const Texts texts = {text};
  const int before = threads();
  std::vector<WordModel> words, pieces;
  for (const int count : {1, 3}) {
    set_threads(count);
    words.push_back(train_words(texts, {.vocab_size = 500}));
    pieces.push_back(train_word_pieces(texts, {.vocab_size = 300}));
  }
  set_threads(before);
  EXPECT_EQ(words[0].pieces, words[1].pieces);
  EXPECT_EQ(pieces[0].pieces, pieces[1].pieces);
}

TEST(WordTrainer, RefusesWhatGivesNoVocabulary) {
  EXPECT_THROW((void)train_words(Texts{" \n"}, {}), DataError);
  EXPECT_THROW((void)train_word_pieces(Texts{}, {}), DataError);
  EXPECT_THROW((void)train_words(Texts{"a"}, {.vocab_size = 1}), ConfigError);
  EXPECT_THROW((void)train_words(Texts{"a"}, {.special = {"[UNK]"}}), ConfigError);
  EXPECT_THROW((void)train_word_pieces(Texts{"a"}, {.vocab_size = 5}), ConfigError);
}

}  // namespace
}  // namespace minnow
