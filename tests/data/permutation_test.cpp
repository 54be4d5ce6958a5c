#include "minnow/data/permutation.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <vector>

namespace minnow {
namespace {

std::vector<std::uint64_t> order(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch) {
  const KeyedPermutation shuffle(size, seed, 7, epoch);
  std::vector<std::uint64_t> values(size);
  for (std::uint64_t i = 0; i < size; ++i) values[i] = shuffle(i);
  return values;
}

TEST(KeyedPermutation, IsAPermutationForEverySize) {
  std::vector<std::uint64_t> sizes(300);
  std::iota(sizes.begin(), sizes.end(), 1);
  for (const std::uint64_t size : {1023U, 1024U, 1025U, 4095U, 4097U, 31031U, 65537U}) sizes.push_back(size);
  for (const std::uint64_t size : sizes) {
    for (const std::uint64_t epoch : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 33}) {
      std::vector<bool> seen(size, false);
      for (const std::uint64_t value : order(size, 11, epoch)) {
        ASSERT_LT(value, size);
        ASSERT_FALSE(seen[value]) << size;
        seen[value] = true;
      }
    }
  }
}

TEST(KeyedPermutation, SeedsAndEpochsGiveOtherOrders) {
  const auto base = order(1000, 1, 0);
  EXPECT_EQ(order(1000, 1, 0), base);
  for (const auto& other : {order(1000, 2, 0), order(1000, 1, 1), order(1000, std::uint64_t{1} << 40 | 1, 0)}) {
    int same = 0;
    for (std::size_t i = 0; i < base.size(); ++i) same += base[i] == other[i] ? 1 : 0;
    // A random permutation agrees with another one at one place on average (Poisson).
    EXPECT_LT(same, 12);
  }
}

TEST(KeyedPermutation, EveryPlaceIsEquallyLikely) {
  // Where element 0 of 10 goes over 5000 epochs: 500 expected per place, standard deviation 21.
  std::vector<int> count(10, 0);
  for (std::uint64_t epoch = 0; epoch < 5000; ++epoch) ++count[KeyedPermutation(10, 3, 7, epoch)(0)];
  for (const int times : count) EXPECT_NEAR(times, 500, 110);
}

TEST(KeyedPermutation, ReachesHugeSizes) {
  const std::uint64_t size = (std::uint64_t{1} << 40) + 12345;
  const KeyedPermutation shuffle(size, 1, 7, 0);
  EXPECT_LT(shuffle(size - 1), size);
  EXPECT_NE(shuffle(0), shuffle(1));
}

}  // namespace
}  // namespace minnow
