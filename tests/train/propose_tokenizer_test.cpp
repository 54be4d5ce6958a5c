// What a token of a text is to be.

#include "train/propose_tokenizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/data_files.hpp"
#include "minnow/base/error.hpp"
#include "train/text_sample.hpp"

namespace minnow {
namespace {

using testing::HasSubstr;

/// A text of so many bytes with different words.
std::string text_of(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i)
    text += "boat " + std::to_string(i * 7919 % 1000) + " went down the river. ";
  text.resize(bytes);
  return text;
}

class ProposeTokenizer : public testing::Test {
 protected:
  TokenizerProposal propose(const std::string& text, const std::string& wanted = "auto", std::int64_t vocab_size = 0,
                            bool documents = false, bool words_alone = false) {
    const std::string file = folder_.write("a.txt", text);
    CheckOptions check;
    check.files = {file};
    const CheckReport report = check_texts(check);
    return propose_tokenizer({.text = report,
                              .files = {file},
                              .text_field = "text",
                              .wanted = wanted,
                              .vocab_size = vocab_size,
                              .documents = documents,
                              .words_alone = words_alone});
  }

  test::DataFolder folder_;
};

TEST_F(ProposeTokenizer, PairsWhereTheTextIsLongEnough) {
  EXPECT_EQ(propose(text_of(49'999)).config.type, TokenizerKind::kChar);
  const TokenizerProposal pairs = propose(text_of(50'000));
  EXPECT_EQ(pairs.config.type, TokenizerKind::kBpe);
  EXPECT_EQ(pairs.config.vocab_size, 512);
  ASSERT_NE(pairs.tokenizer, nullptr);
  EXPECT_EQ(pairs.vocab_size, pairs.tokenizer->vocab_size());
  EXPECT_EQ(pairs.tokens, static_cast<double>(pairs.tokenizer->encode(text_of(50'000)).size()));
  EXPECT_FALSE(pairs.by_characters);
  EXPECT_THAT(pairs.reason, HasSubstr("long enough"));
}

TEST_F(ProposeTokenizer, CharactersForWordsAndBytesForWhatIsNoText) {
  EXPECT_EQ(propose(text_of(60'000), "auto", 0, true, true).config.type, TokenizerKind::kChar);
  const TokenizerProposal bytes = propose(text_of(1000) + "\xFF\xFE");
  EXPECT_EQ(bytes.config.type, TokenizerKind::kByte);
  EXPECT_THAT(bytes.reason, HasSubstr("2 places of the text are not UTF-8"));
  EXPECT_EQ(propose(text_of(60'000) + "\xFF\xFE").config.type, TokenizerKind::kBpe);
}

TEST_F(ProposeTokenizer, WhatIsAskedForCounts) {
  const std::string text = text_of(60'000);
  EXPECT_EQ(propose(text, "char").config.type, TokenizerKind::kChar);
  EXPECT_EQ(propose(text, "byte").vocab_size, 256);
  EXPECT_EQ(propose(text_of(2000), "bpe").config.type, TokenizerKind::kBpe);
  EXPECT_EQ(propose(text, "auto", 300).vocab_size, 300);
  const TokenizerProposal documents = propose(text, "bpe", 300, true);
  EXPECT_TRUE(documents.tokenizer->boundary_id());
  const std::string file = folder_.write("given.json", documents.tokenizer->to_json());
  const TokenizerProposal given = propose(text, file);
  EXPECT_EQ(given.config.path, file);
  EXPECT_EQ(given.tokens, documents.tokens);
}

TEST(FittingVocabulary, GrowsWithTextAndTime) {
  EXPECT_EQ(fitting_vocabulary(1000, 10), 512);
  EXPECT_EQ(fitting_vocabulary(100'000, 10), 1024);
  EXPECT_EQ(fitting_vocabulary(300'000, 10), 2048);
  EXPECT_EQ(fitting_vocabulary(1'000'000'000, 1), 2048);
  EXPECT_EQ(fitting_vocabulary(1'000'000'000, 60), 4096);
  EXPECT_EQ(fitting_vocabulary(1'000'000'000, 100'000), 16'384);
}

TEST(TextSample, IsAllOfASmallTextAndSpreadOverALargeOne) {
  const test::DataFolder folder;
  const std::string small = folder.write("small.txt", text_of(10'000));
  EXPECT_EQ(sample_text({small}, "text", 10'000).bytes, text_of(10'000));
  // As if the text were 80 MiB: every third mebibyte of it.
  constexpr std::size_t kPart = std::size_t{1} << 20;
  const std::string large = folder.write("large.txt", text_of(5 * kPart));
  const TextSample sample = sample_text({large}, "text", 80 << 20);
  EXPECT_EQ(sample.views().size(), 2U);
  EXPECT_NEAR(static_cast<double>(sample.bytes.size()), 2.0 * kPart, 0.2 * kPart);
  EXPECT_TRUE(text_of(5 * kPart).starts_with(sample.views()[0]));
}

}  // namespace
}  // namespace minnow
