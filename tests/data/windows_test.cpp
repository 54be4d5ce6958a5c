#include "minnow/data/windows.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace minnow {
namespace {

/// Checks that windows cover inputs 0 .. total - 1 once, in order, none empty, none longer than T.
void expect_cover(const WindowSet& set, std::int64_t total, std::int64_t block_size) {
  std::int64_t next = 0;
  std::int64_t longest = 0;
  for (std::int64_t i = 0; i < set.count(); ++i) {
    const Window window = set.at(i);
    ASSERT_EQ(window.offset, next);
    ASSERT_GE(window.length, 1);
    ASSERT_LE(window.length, block_size);
    next += window.length;
    longest = std::max(longest, window.length);
  }
  EXPECT_EQ(next, total);
  EXPECT_EQ(set.total_length(), total);
  EXPECT_EQ(set.longest(), longest);
}

TEST(WindowSet, StreamsPredictEveryTokenButTheFirstOnce) {
  for (std::int64_t tokens = 0; tokens < 40; ++tokens) {
    for (std::int64_t block = 1; block < 12; ++block) {
      const WindowSet set = WindowSet::of_stream(tokens, block);
      expect_cover(set, tokens > 0 ? tokens - 1 : 0, block);
      for (std::int64_t i = 0; i < set.count(); ++i) ASSERT_EQ(set.at(i).offset, i * block);
      const std::int64_t full = tokens > 0 ? (tokens - 1) / block : 0;
      const WindowSet blocks = WindowSet::of_full_blocks(tokens, block);
      ASSERT_EQ(blocks.count(), full);
      expect_cover(blocks, full * block, block);
    }
  }
}

TEST(WindowSet, DocumentsLoseNothing) {
  const std::vector<std::int64_t> lengths{3, 1, 9, 4, 4, 1, 20, 2};
  for (std::int64_t block = 1; block < 24; ++block) {
    expect_cover(WindowSet::of_documents(lengths, block, Packing::kPad), 44, block);
    expect_cover(WindowSet::of_documents(lengths, block, Packing::kPack), 44, block);
  }
}

TEST(WindowSet, PaddedDocumentsStandAlone) {
  const WindowSet set = WindowSet::of_documents({3, 9, 2}, 4, Packing::kPad);
  ASSERT_EQ(set.count(), 5);
  EXPECT_EQ(set.at(0), (Window{0, 3}));
  EXPECT_EQ(set.at(1), (Window{3, 4}));
  EXPECT_EQ(set.at(2), (Window{7, 4}));
  EXPECT_EQ(set.at(3), (Window{11, 1}));
  EXPECT_EQ(set.at(4), (Window{12, 2}));
}

TEST(WindowSet, PackedDocumentsShareWindowsWithoutBeingCut) {
  const WindowSet set = WindowSet::of_documents({3, 4, 2, 2, 9}, 8, Packing::kPack);
  ASSERT_EQ(set.count(), 4);
  EXPECT_EQ(set.at(0), (Window{0, 7}));
  EXPECT_EQ(set.at(1), (Window{7, 4}));
  EXPECT_EQ(set.at(2), (Window{11, 8}));
  EXPECT_EQ(set.at(3), (Window{19, 1}));
}

TEST(WindowSet, NoDocumentsNoWindows) { EXPECT_EQ(WindowSet::of_documents({}, 8, Packing::kPad).count(), 0); }

}  // namespace
}  // namespace minnow
