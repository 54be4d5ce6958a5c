// 100 tokens, 2 rows a rank, blocks of 8, 4 ranks: a bounds check that counted the other ranks' reads once more skipped
// 36 usable tokens at the end of the data.
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "minnow/data/loader.hpp"

namespace minnow {
namespace {

TEST(DataRanks, NoWindowSkippedAndNoneReadPastTheEnd) {
  std::vector<std::int32_t> ids(100);
  std::iota(ids.begin(), ids.end(), 0);
  const TrainLoader loader(TokenStore::from_ids(ids, 100), {.batch_size = 2 * 4, .block_size = 8, .seed = 4});
  ASSERT_EQ(loader.windows(), 12);  // floor(99 / 8)
  // Three steps of 8 windows are two passes over the 12.
  std::map<std::int64_t, int> seen;
  std::vector<std::int64_t> order;
  for (std::int64_t step = 0; step < 3; ++step) {
    for (std::int64_t rank = 0; rank < 4; ++rank) {
      const Batch part = loader.make_rows(step, 2 * rank, 2);
      ASSERT_EQ(part.rows, 2);
      for (std::size_t row = 0; row < 2; ++row) {
        EXPECT_GE(part.offsets[row], 0);
        EXPECT_LE(part.offsets[row] + 8, 99);
        EXPECT_EQ(part.targets[row * 8 + 7], part.offsets[row] + 8);
        ++seen[part.samples[row]];
        order.push_back(part.samples[row]);
      }
    }
  }
  EXPECT_EQ(seen.size(), 12U);
  for (const auto& [window, times] : seen) EXPECT_EQ(times, 2) << window;
  // What the ranks read one after the other is what one process reads.
  std::vector<std::int64_t> alone;
  for (std::int64_t step = 0; step < 3; ++step) {
    const Batch batch = loader.make_batch(step);
    alone.insert(alone.end(), batch.samples.begin(), batch.samples.end());
  }
  EXPECT_EQ(order, alone);
}

}  // namespace
}  // namespace minnow
