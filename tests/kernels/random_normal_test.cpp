// Normal numbers in vector code against the scalar form, bit by bit.
#include "kernels/random_normal.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "targets.hpp"

namespace minnow::kernels {
namespace {

void expect_scalar_bits(const RandomKey& key, std::uint64_t first, std::size_t count, double std) {
  std::vector<float> want(count);
  for (std::size_t i = 0; i < count; ++i) want[i] = static_cast<float>(std * random_normal(key, first + i));
  test::Guarded<float> got(static_cast<Index>(count));
  fill_random_normal(key, first, count, std, got.data());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) wrong += std::memcmp(got.data() + i, &want[i], sizeof(float)) != 0 ? 1 : 0;
  EXPECT_EQ(wrong, 0U) << "from " << first << ", std " << std;
}

TEST(RandomNormal, HasTheBitsOfTheScalarForm) {
  test::for_each_target([] {
    expect_scalar_bits({.seed = 1, .stream = 3}, 0, 400'000, 0.02);
    expect_scalar_bits({.seed = 123456789012345, .stream = 9, .step = 5}, (std::uint64_t{1} << 33) + 2, 20'000, 1);
  });
}

TEST(RandomNormal, StartsAndEndsAnywhere) {
  test::for_each_target([] {
    for (std::uint64_t first = 0; first < 5; ++first) {
      for (const std::size_t count : {0U, 1U, 2U, 127U, 128U, 129U, 300U})
        expect_scalar_bits({.seed = 7}, first, count, 0.125);
    }
  });
}

TEST(RandomNormal, TakesAnyStandardDeviation) {
  for (const double std : {0.0, -0.5, 1e-45, 1e-38, 1e-31, 1e-29, 1e29, 1e38, 1e300})
    expect_scalar_bits({.seed = 11}, 0, 1000, std);
}

}  // namespace
}  // namespace minnow::kernels
