// Ids above 65535 wrap when stored in 16 bits: a vocabulary of 119547 would spoil 54012 of them.
#include <gtest/gtest.h>

#include <numeric>

#include "data/data_files.hpp"
#include "minnow/data/dataset.hpp"
#include "minnow/data/token_file.hpp"

namespace minnow {
namespace {

TEST(IdWidth, LargeVocabulariesSurviveFileAndMemory) {
  constexpr std::int64_t kVocabulary = 119547;
  std::vector<std::int32_t> ids(kVocabulary);
  std::iota(ids.begin(), ids.end(), 0);
  const test::DataFolder folder;
  for (const TokenFormat format : {TokenFormat::kNanogpt, TokenFormat::kLlmc}) {
    const TokenLayout layout = layout_for(format, kVocabulary);
    DatasetOptions options;
    options.path = folder.write("ids.u32.bin", token_file_bytes(layout, ids));
    options.split = SplitRule::kNone;
    options.tokenizer = TokenizerChoice::kNone;
    options.vocab_size = kVocabulary;
    options.loader.block_size = 8;
    const TokenStore tokens = Dataset::open(options).train().tokens();
    ASSERT_EQ(tokens.size(), kVocabulary);
    for (const std::int32_t id : {65535, 65536, 119546}) EXPECT_EQ(tokens.at(id), id);
    std::vector<std::int32_t> back(ids.size());
    tokens.copy(0, tokens.size(), back.data());
    EXPECT_EQ(back, ids);
  }
  const TokenStore memory = TokenStore::from_ids(ids, kVocabulary);
  for (const std::int32_t id : {65535, 65536, 119546}) EXPECT_EQ(memory.at(id), id);
  EXPECT_EQ(layout_for(TokenFormat::kNanogpt, 65536), TokenLayout::kRaw16);
  EXPECT_EQ(layout_for(TokenFormat::kNanogpt, 65537), TokenLayout::kRaw32);
}

}  // namespace
}  // namespace minnow
