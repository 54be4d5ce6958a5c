#include "kernels/random_bits.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "hwy/targets.h"

namespace minnow::kernels {
namespace {

TEST(RandomBits, SameWordsOnEveryInstructionSet) {
  const RandomKey key{0xfedcba9876543210ULL, 0x89abcdef, 0xf00d12345678ULL};
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (const std::uint64_t first : {0ULL, 1ULL, 6ULL, (1ULL << 34) - 9, (1ULL << 40) + 3})
      for (const std::size_t count : {0U, 1U, 3U, 4U, 63U, 64U, 65U, 131U, 300U}) {
        std::vector<std::uint32_t> out(count + 1, 0xdead);
        fill_random_bits(key, first, count, out.data());
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_EQ(out[i], random_bits(key, first + i)) << hwy::TargetName(target) << " " << first << " " << i;
        EXPECT_EQ(out[count], 0xdeadU);
      }
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace minnow::kernels
