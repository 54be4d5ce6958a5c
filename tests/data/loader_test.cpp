#include "minnow/data/loader.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "data/data_files.hpp"

namespace minnow {
namespace {

using Ids = std::vector<std::int32_t>;
using test::error_of;

/// Tokens 0, 1, 2, ...: a token's value is its position.
TokenStore counting(std::int64_t size) {
  Ids ids(static_cast<std::size_t>(size));
  std::iota(ids.begin(), ids.end(), 0);
  return TokenStore::from_ids(ids, size);
}

/// Holds a row to its window: inputs, targets one later, padding behind.
void expect_rows(const Batch& batch, const TokenStore& tokens) {
  std::int64_t counted = 0;
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    const auto r = static_cast<std::size_t>(row);
    for (std::int64_t t = 0; t < batch.length; ++t) {
      const auto at = static_cast<std::size_t>(row * batch.length + t);
      if (t < batch.lengths[r]) {
        ASSERT_EQ(batch.tokens[at], tokens.at(batch.offsets[r] + t));
        ASSERT_EQ(batch.targets[at], tokens.at(batch.offsets[r] + t + 1));
      } else {
        ASSERT_EQ(batch.tokens[at], 0);
        ASSERT_EQ(batch.targets[at], kIgnoredTarget);
      }
    }
    counted += batch.lengths[r];
  }
  EXPECT_EQ(batch.counted, counted);
  EXPECT_EQ(batch.tokens.size(), static_cast<std::size_t>(batch.rows * batch.length));
}

TEST(TrainLoader, RandomDrawsEveryStartEquallyOften) {
  const TokenStore tokens = counting(30);
  const TrainLoader loader(tokens, {.batch_size = 10, .block_size = 8, .order = SampleOrder::kRandom, .seed = 5});
  std::map<std::int64_t, int> starts;
  for (std::int64_t step = 0; step < 2200; ++step) {
    const Batch batch = loader.make_batch(step);
    expect_rows(batch, tokens);
    for (const std::int64_t offset : batch.offsets) ++starts[offset];
  }
  // 0 .. n - T - 1 = 22 starts, 1000 expected of each, standard deviation 31.
  ASSERT_EQ(starts.size(), 22U);
  EXPECT_EQ(starts.begin()->first, 0);
  EXPECT_EQ(starts.rbegin()->first, 21);
  for (const auto& [start, times] : starts) EXPECT_NEAR(times, 1000, 160) << start;
}

TEST(TrainLoader, EpochShowsEveryWindowOncePerPass) {
  for (const std::int64_t size : {17, 65, 100, 333}) {
    const TokenStore tokens = counting(size);
    const TrainLoader loader(tokens, {.batch_size = 3, .block_size = 8, .seed = 2});
    const std::int64_t windows = (size - 1) / 8;
    ASSERT_EQ(loader.windows(), windows);
    std::vector<std::int64_t> ids;
    std::vector<std::int64_t> offsets;
    for (std::int64_t step = 0; step < windows * 4; ++step) {
      const Batch batch = loader.make_batch(step);
      expect_rows(batch, tokens);
      ids.insert(ids.end(), batch.samples.begin(), batch.samples.end());
      offsets.insert(offsets.end(), batch.offsets.begin(), batch.offsets.end());
    }
    for (std::size_t begin = 0; begin + static_cast<std::size_t>(windows) <= ids.size();
         begin += static_cast<std::size_t>(windows)) {
      std::set<std::int64_t> seen(ids.begin() + static_cast<std::ptrdiff_t>(begin),
                                  ids.begin() + static_cast<std::ptrdiff_t>(begin) + windows);
      ASSERT_EQ(seen.size(), static_cast<std::size_t>(windows));
      for (std::size_t i = begin; i < begin + static_cast<std::size_t>(windows); ++i) {
        const std::int64_t shift = offsets[i] - 8 * ids[i];
        ASSERT_EQ(shift, offsets[begin] - 8 * ids[begin]) << "one shift per epoch";
        ASSERT_GE(shift, 0);
        ASSERT_LE(shift, begin == 0 ? 0 : (size - 1) % 8);
      }
    }
  }
}

TEST(TrainLoader, LaterEpochsReachTheTail) {
  const TokenStore tokens = counting(15);  // one window of 8, six targets more
  const TrainLoader loader(tokens, {.batch_size = 1, .block_size = 8});
  std::set<std::int64_t> offsets;
  for (std::int64_t step = 0; step < 100; ++step) offsets.insert(loader.make_batch(step).offsets[0]);
  EXPECT_EQ(offsets, (std::set<std::int64_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(TrainLoader, EpochsAndSeedsDiffer) {
  const TokenStore tokens = counting(801);
  const auto order = [&](std::uint64_t seed, std::int64_t first) {
    const TrainLoader loader(tokens, {.batch_size = 100, .block_size = 8, .seed = seed});
    return loader.make_batch(first).samples;
  };
  EXPECT_NE(order(1, 0), order(1, 1));
  EXPECT_NE(order(1, 0), order(2, 0));
  EXPECT_EQ(order(1, 1), order(1, 1));
}

TEST(TrainLoader, PartsOfAStepAreTheStep) {
  const TokenStore tokens = counting(200);
  const WindowSet windows = WindowSet::of_documents({3, 5, 20, 7, 1, 1, 30, 9}, 16, Packing::kPad);
  const TrainLoader loader(tokens, windows, {.batch_size = 6, .block_size = 16, .order = SampleOrder::kRandom});
  for (std::int64_t step = 0; step < 20; ++step) {
    const Batch whole = loader.make_batch(step);
    expect_rows(whole, tokens);
    EXPECT_EQ(whole.counted_in_step, whole.counted);
    Ids joined;
    std::int64_t counted = 0;
    for (std::int64_t row = 0; row < 6; row += 2) {
      const Batch part = loader.make_rows(step, row, 2);
      EXPECT_EQ(part.length, whole.length);
      EXPECT_EQ(part.counted_in_step, whole.counted);
      joined.insert(joined.end(), part.tokens.begin(), part.tokens.end());
      counted += part.counted;
    }
    EXPECT_EQ(joined, whole.tokens);
    EXPECT_EQ(counted, whole.counted);
  }
  EXPECT_THROW(static_cast<void>(loader.make_rows(0, 5, 2)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(loader.make_batch(-1)), std::out_of_range);
}

TEST(TrainLoader, BatchesOfDocumentsAreAsShortAsTheyCanBe) {
  const TokenStore tokens = counting(100);
  const auto length = [&](const std::vector<std::int64_t>& documents, std::int64_t block) {
    const WindowSet windows = WindowSet::of_documents(documents, block, Packing::kPad);
    return TrainLoader(tokens, windows, {.batch_size = windows.count(), .block_size = block}).make_batch(0).length;
  };
  EXPECT_EQ(length({3, 4, 2}, 64), 8);
  EXPECT_EQ(length({3, 9, 2}, 64), 16);
  EXPECT_EQ(length({3, 9, 2}, 10), 10);
  EXPECT_EQ(length({8}, 64), 8);
}

TEST(TrainLoader, CutsRowsBeforeEachTokenThatBeginsADocument) {
  const Ids ids{9, 1, 2, 9, 3, 9, 9, 4, 5, 6, 9, 7, 8};
  const TokenStore tokens = TokenStore::from_ids(ids, 10);
  LoaderOptions options{.batch_size = 3, .block_size = 4, .seed = 2};
  EXPECT_TRUE(TrainLoader(tokens, options).make_batch(0).pieces.empty());
  options.document_token = 9;
  const TrainLoader loader(tokens, options);
  std::set<Ids> seen;
  for (std::int64_t row = 0; row < 3; ++row) {
    const Batch one = loader.make_rows(0, row, 1);
    if (one.offsets[0] == 0) {
      EXPECT_EQ(one.pieces, (Ids{3, 1}));
    } else if (one.offsets[0] == 4) {
      EXPECT_EQ(one.pieces, (Ids{1, 1, 2}));
    } else {
      EXPECT_EQ(one.pieces, (Ids{2, 2}));
    }
    seen.insert(one.pieces);
  }
  EXPECT_EQ(seen.size(), 3U);
  const EvalLoader windows(tokens, WindowSet::of_stream(tokens.size(), 5), 5, 9);
  EXPECT_EQ(windows.make_batch(0, 3).pieces, (Ids{3, 2, 1, 4, 2}));
}

TEST(TrainLoader, RefusesWhatCannotBeTrainedOn) {
  EXPECT_NE(error_of([] {
              TrainLoader(counting(8), {.block_size = 8});
            }).find("3: [data] the training split must have at least block_size + 1 = 9 tokens; got 8"),
            std::string::npos);
  EXPECT_EQ(error_of([] { TrainLoader(counting(8), {.batch_size = 0, .block_size = 4}); }).substr(0, 2), "2:");
  EXPECT_EQ(error_of([] { TrainLoader(counting(8), WindowSet(), {.block_size = 4}); }).substr(0, 2), "3:");
}

TEST(EvalLoader, EveryTargetOnceAtAnyBatchSize) {
  for (const std::int64_t size : {2, 8, 9, 10, 41, 100}) {
    const TokenStore tokens = counting(size);
    const EvalLoader loader(tokens, WindowSet::of_stream(size, 8), 8);
    EXPECT_EQ(loader.counted_targets(), size - 1);
    std::vector<Ids> previous;
    for (const std::int64_t rows : {1, 2, 3, 8, 1000}) {
      std::vector<Ids> all;
      std::vector<int> seen(static_cast<std::size_t>(size), 0);
      for (std::int64_t first = 0; first < loader.windows(); first += rows) {
        const Batch batch = loader.make_batch(first, rows);
        expect_rows(batch, tokens);
        for (const std::int32_t target : batch.targets) {
          if (target != kIgnoredTarget) ++seen[static_cast<std::size_t>(target)];
        }
        for (std::int64_t row = 0; row < batch.rows; ++row) {
          all.emplace_back(batch.tokens.begin() + row * batch.length, batch.tokens.begin() + (row + 1) * batch.length);
        }
      }
      EXPECT_EQ(seen[0], 0);
      for (std::size_t id = 1; id < seen.size(); ++id) ASSERT_EQ(seen[id], 1) << id;
      if (!previous.empty()) {
        EXPECT_EQ(all, previous);
      }
      previous = std::move(all);
    }
    EXPECT_THROW(static_cast<void>(loader.make_batch(loader.windows(), 1)), std::out_of_range);
  }
}

}  // namespace
}  // namespace minnow
