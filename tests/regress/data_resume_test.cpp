// After a resume the sample ids must be those of the uninterrupted run: in the middle of an epoch, at its end, and on
// the next one (whose shuffle must not be that of epoch 0).
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "minnow/data/loader.hpp"

namespace minnow {
namespace {

TokenStore counting(std::int64_t size) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(size));
  std::iota(ids.begin(), ids.end(), 0);
  return TokenStore::from_ids(ids, size);
}

// 125 batches of 4 windows of 8 per epoch.
constexpr std::int64_t kTokens = 125 * 4 * 8 + 1;
constexpr LoaderOptions kEpochOptions{.batch_size = 4, .block_size = 8, .order = SampleOrder::kEpoch, .seed = 9};

TEST(DataResume, MidEpochGoesOnWithTheSameShuffle) {
  for (const SampleOrder order : {SampleOrder::kEpoch, SampleOrder::kRandom}) {
    LoaderOptions options = kEpochOptions;
    options.order = order;
    const TrainLoader straight(counting(kTokens), options);
    ASSERT_EQ(straight.windows(), 500);
    std::vector<std::vector<std::int64_t>> ids;
    std::vector<std::vector<std::int32_t>> tokens;
    for (std::int64_t step = 0; step < 500; ++step) {
      Batch batch = straight.make_batch(step);
      ids.push_back(std::move(batch.samples));
      tokens.push_back(std::move(batch.tokens));
    }
    const TrainLoader resumed(counting(kTokens), options);
    for (std::int64_t step = 200; step < 500; ++step) {
      const Batch batch = resumed.make_batch(step);
      ASSERT_EQ(batch.samples, ids[static_cast<std::size_t>(step)]) << step;
      ASSERT_EQ(batch.tokens, tokens[static_cast<std::size_t>(step)]) << step;
    }
  }
}

TEST(DataResume, EpochEndGoesOnWithTheNextEpoch) {
  const TrainLoader straight(counting(kTokens), kEpochOptions);
  std::vector<std::int64_t> epoch[3];
  for (std::int64_t step = 0; step < 375; ++step) {
    const Batch batch = straight.make_batch(step);
    auto& list = epoch[step / 125];
    list.insert(list.end(), batch.samples.begin(), batch.samples.end());
  }
  const TrainLoader resumed(counting(kTokens), kEpochOptions);
  std::vector<std::int64_t> next;
  for (std::int64_t step = 125; step < 250; ++step) {
    const Batch batch = resumed.make_batch(step);
    next.insert(next.end(), batch.samples.begin(), batch.samples.end());
  }
  EXPECT_EQ(next, epoch[1]);
  EXPECT_NE(epoch[0], epoch[1]);
  EXPECT_NE(epoch[1], epoch[2]);
  for (const auto& list : epoch) EXPECT_EQ(std::set<std::int64_t>(list.begin(), list.end()).size(), 500U);
}

}  // namespace
}  // namespace minnow
