#include "tensor/memory_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <vector>

#include "tensor/lifetime_map.hpp"

namespace minnow {
namespace {

struct Buffer {
  std::size_t bytes = 0;
  std::uint32_t birth = 0;
  std::uint32_t death = 0;  // 0: outlives the step
};

/// Lowest offsets, largest buffers first, each compared with each other one: what pack() must find.
std::vector<std::size_t> place_one_by_one(const std::vector<Buffer>& buffers) {
  std::vector<std::uint32_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return buffers[a].bytes > buffers[b].bytes; });
  std::vector<std::size_t> offsets(buffers.size(), SIZE_MAX);
  for (std::uint32_t index : order) {
    const Buffer& buffer = buffers[index];
    if (buffer.death == 0) continue;
    std::vector<std::pair<std::size_t, std::size_t>> taken;
    for (std::size_t other = 0; other < buffers.size(); ++other) {
      const Buffer& b = buffers[other];
      if (offsets[other] == SIZE_MAX || b.birth >= buffer.death || buffer.birth >= b.death) continue;
      taken.emplace_back(offsets[other], offsets[other] + MemoryPlan::padded(b.bytes));
    }
    std::sort(taken.begin(), taken.end());
    std::size_t offset = 0;
    for (const auto& [begin, end] : taken) {
      if (offset + MemoryPlan::padded(buffer.bytes) <= begin) break;
      offset = std::max(offset, end);
    }
    offsets[index] = offset;
  }
  return offsets;
}

/// Random births and deaths; the living die in no order, a few never.
std::vector<Buffer> random_step(std::mt19937& random, std::uint32_t count, MemoryPlan& plan) {
  std::vector<Buffer> buffers;
  std::vector<std::uint32_t> living;
  while (buffers.size() < count) {
    if (living.empty() || random() % 2 == 0) {
      const std::size_t bytes = random() % 8 == 0 ? random() % 100000 : 64 * (random() % 5);
      living.push_back(static_cast<std::uint32_t>(buffers.size()));
      buffers.push_back({bytes, static_cast<std::uint32_t>(buffers.size()), 0});
      plan.record_birth(bytes);
    } else {
      const std::size_t who = random() % living.size();
      buffers[living[who]].death = static_cast<std::uint32_t>(buffers.size());
      plan.record_death(living[who]);
      living.erase(living.begin() + static_cast<std::ptrdiff_t>(who));
    }
  }
  return buffers;
}

TEST(MemoryPlan, FindsThePlacesThatComparingAllPairsFinds) {
  std::mt19937 random(7);
  for (std::uint32_t count : {0U, 1U, 2U, 3U, 17U, 64U, 65U, 300U, 900U}) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      MemoryPlan plan;
      const std::vector<Buffer> buffers = random_step(random, count, plan);
      plan.pack();
      const std::vector<std::size_t> expected = place_one_by_one(buffers);
      std::size_t block = 0;
      for (std::uint32_t i = 0; i < count; ++i) {
        ASSERT_EQ(plan.offset(i).value_or(SIZE_MAX), expected[i]) << "slot " << i << " of " << count;
        if (plan.offset(i)) block = std::max(block, *plan.offset(i) + MemoryPlan::padded(buffers[i].bytes));
      }
      EXPECT_EQ(plan.block_bytes(), block);
    }
  }
}

// The shape of a very deep network: what the forward pass keeps dies in reverse order, short-lived buffers in between.
TEST(MemoryPlan, PacksDeepNetworksQuickly) {
  constexpr std::uint32_t kLayers = 20000;
  MemoryPlan plan;
  std::uint32_t next = 0;
  std::vector<std::uint32_t> kept;
  const auto short_lived = [&](std::size_t bytes) {
    plan.record_birth(bytes);
    plan.record_death(next++);
  };
  for (std::uint32_t layer = 0; layer < kLayers; ++layer) {
    for (const std::size_t bytes : {std::size_t{256}, std::size_t{1024}}) {
      plan.record_birth(bytes);
      kept.push_back(next++);
    }
    short_lived(512);
  }
  for (; !kept.empty(); kept.pop_back()) {
    short_lived(2048);
    plan.record_death(kept.back());
  }
  const auto start = std::chrono::steady_clock::now();
  plan.pack();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  EXPECT_LT(spent.count(), 20);  // a second or less; comparing all pairs takes minutes
  EXPECT_LE(plan.block_bytes(), kLayers * (256 + 1024) + 2048U);
}

TEST(RangeSet, MergesWhatTouchesAndFindsGaps) {
  RangeSet set;
  EXPECT_EQ(set.lowest_gap(0, 1), 0U);
  set.add({10, 20});
  set.add({30, 40});
  EXPECT_EQ(set.lowest_gap(0, 10), 0U);
  EXPECT_EQ(set.lowest_gap(0, 11), 40U);
  EXPECT_EQ(set.lowest_gap(15, 10), 20U);
  set.add({20, 30});
  EXPECT_EQ(set.lowest_gap(10, 1), 40U);
  set.add({5, 100});
  EXPECT_EQ(set.lowest_gap(0, 5), 0U);
  EXPECT_EQ(set.lowest_gap(0, 6), 100U);
}

}  // namespace
}  // namespace minnow
