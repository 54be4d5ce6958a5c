#include "minnow/base/philox.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace minnow {
namespace {

// Known answers of philox4x32 with 10 rounds, from the test vectors that come with Random123.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, EveryPartOfTheKeyMatters) {
  const RandomKey key{1, 2, 3};
  std::set<PhiloxBlock> seen;
  for (const RandomKey& k : {key, RandomKey{1ULL << 40, 2, 3}, RandomKey{1, 3, 3}, RandomKey{1, 2, 4},
                             RandomKey{1, 2, 3 + (1ULL << 32)}, RandomKey{1, 2, 3 + (1ULL << 47)}})
    for (const std::uint64_t block : {0ULL, 1ULL, 1ULL << 32, 1ULL << 47}) seen.insert(random_block(k, block));
  EXPECT_EQ(seen.size(), 24U);
}

TEST(Philox, FillEqualsSingleDraws) {
  const RandomKey key{0x123456789abcdefULL, 7, 1ULL << 33};
  for (const std::uint64_t first : {0ULL, 1ULL, 2ULL, 3ULL, 5ULL, (1ULL << 34) - 6})
    for (const std::size_t count : {0U, 1U, 2U, 3U, 4U, 63U, 64U, 65U, 131U, 300U}) {
      std::vector<std::uint32_t> out(count + 1, 0xdead);
      random_bits_fill(key, first, count, out.data());
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(out[i], random_bits(key, first + i)) << first << " " << i;
      EXPECT_EQ(out[count], 0xdeadU);
    }
}

TEST(Philox, UniformIsUniform) {
  const RandomKey key{42, 0, 0};
  std::vector<int> bins(16);
  const int draws = 160000;
  for (int i = 0; i < draws; ++i) {
    const float u = random_uniform(key, static_cast<std::uint64_t>(i));
    ASSERT_GE(u, 0.0F);
    ASSERT_LT(u, 1.0F);
    ++bins[static_cast<std::size_t>(u * 16)];
  }
  double chi2 = 0;
  for (const int bin : bins) chi2 += (bin - draws / 16.0) * (bin - draws / 16.0) / (draws / 16.0);
  EXPECT_LT(chi2, 37.7);  // 15 degrees of freedom, one in a thousand
}

TEST(Philox, NormalHasTheMomentsOfTheNormal) {
  const RandomKey key{43, 1, 5};
  const int draws = 200000;
  double sum = 0, sum2 = 0, sum4 = 0, product = 0;
  for (int i = 0; i < draws; ++i) {
    const double x = random_normal(key, static_cast<std::uint64_t>(i));
    sum += x;
    sum2 += x * x;
    sum4 += x * x * x * x;
    product += x * random_normal(key, static_cast<std::uint64_t>(i) ^ 1);  // the partner of the same pair
  }
  EXPECT_NEAR(sum / draws, 0, 0.01);
  EXPECT_NEAR(sum2 / draws, 1, 0.015);
  EXPECT_NEAR(sum4 / draws, 3, 0.12);
  EXPECT_NEAR(product / draws, 0, 0.015);
}

TEST(Philox, BelowIsUnbiased) {
  const RandomKey key{44, 1, 5};
  EXPECT_EQ(random_below(key, 3, 0), 0U);
  EXPECT_EQ(random_below(key, 3, 1), 0U);
  // 3 * 2^62: a modulo would hit the lowest third twice as often.
  const std::uint64_t bound = 3ULL << 62;
  int low = 0;
  for (std::uint64_t i = 0; i < 30000; ++i) {
    const std::uint64_t x = random_below(key, i, bound);
    ASSERT_LT(x, bound);
    low += x < (1ULL << 62) ? 1 : 0;
  }
  EXPECT_NEAR(low / 30000.0, 1 / 3.0, 0.01);
  std::vector<int> bins(7);
  for (std::uint64_t i = 0; i < 70000; ++i) ++bins[random_below(key, i, 7)];
  for (const int bin : bins) EXPECT_NEAR(bin, 10000, 400);
}

TEST(Philox, DropThresholdEnds) {
  EXPECT_EQ(drop_threshold(0), 0U);
  EXPECT_EQ(drop_threshold(1), 1ULL << 32);
  EXPECT_EQ(drop_threshold(0.5), 1ULL << 31);
}

}  // namespace
}  // namespace minnow
