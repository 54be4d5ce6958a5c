// Text at and just above the block size: 64 tokens for a block of 64 used to reach the sampler as a negative range.
#include <gtest/gtest.h>

#include "data/data_files.hpp"
#include "minnow/data/dataset.hpp"
#include "minnow/data/token_file.hpp"

namespace minnow {
namespace {

std::string letters(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text.push_back(static_cast<char>('a' + i % 26));
  return text;
}

DatasetOptions options_for(std::string path, SampleOrder order) {
  DatasetOptions options;
  options.path = std::move(path);
  options.split = SplitRule::kNone;
  options.loader = {.batch_size = 3, .block_size = 64, .order = order};
  return options;
}

TEST(ShortData, OneTokenTooFewNamesBothSizes) {
  const test::DataFolder folder;
  for (const SampleOrder order : {SampleOrder::kEpoch, SampleOrder::kRandom}) {
    const std::string text = test::error_of(
        [&] { static_cast<void>(Dataset::open(options_for(folder.write("a.txt", letters(64)), order))); });
    EXPECT_EQ(text.substr(0, 2), "3:") << text;
    EXPECT_NE(text.find("65 tokens; got 64 tokens"), std::string::npos) << text;
    EXPECT_NE(text.find("block_size of 64"), std::string::npos) << text;
  }
}

TEST(ShortData, BlockAndOneIsExactlyOneWindow) {
  const test::DataFolder folder;
  for (const SampleOrder order : {SampleOrder::kEpoch, SampleOrder::kRandom}) {
    const std::string text = letters(65);
    const Dataset data = Dataset::open(options_for(folder.write("a.txt", text), order));
    EXPECT_EQ(data.train().windows(), 1);
    for (std::int64_t step = 0; step < 5; ++step) {
      const Batch batch = data.train().make_batch(step);
      for (std::size_t row = 0; row < 3; ++row) {
        EXPECT_EQ(batch.offsets[row], 0);
        EXPECT_EQ(batch.lengths[row], 64);
        EXPECT_EQ(batch.targets[row * 64 + 63], data.train().tokens().at(64));
        EXPECT_EQ(batch.tokens[row * 64 + 63], data.train().tokens().at(63));
      }
    }
  }
}

TEST(ShortData, TokenFilesToo) {
  const test::DataFolder folder;
  const auto write = [&](std::size_t count) {
    return folder.write("a.bin", token_file_bytes(TokenLayout::kRaw16, std::vector<std::int32_t>(count, 3)));
  };
  DatasetOptions options = options_for(write(64), SampleOrder::kEpoch);
  options.tokenizer = TokenizerChoice::kNone;
  EXPECT_NE(test::error_of([&] { static_cast<void>(Dataset::open(options)); }).find("65 tokens; got 64 tokens"),
            std::string::npos);
  options.path = write(65);
  EXPECT_EQ(Dataset::open(options).train().windows(), 1);
}

}  // namespace
}  // namespace minnow
