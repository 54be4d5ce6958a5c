#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "minnow/kernels/packed_matrix.hpp"

namespace minnow {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

TEST(PackedRoom, WhatIsTakenFollowsInCacheLines) {
  kernels::PackedRoom room;
  const auto first = room.take(100);
  const auto second = room.take(64);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.get()) % (2 * kMegabyte), 0U);
  EXPECT_EQ(reinterpret_cast<const char*>(second.get()) - reinterpret_cast<const char*>(first.get()), 128);
}

TEST(PackedRoom, WhatIsLargerThanASlabLeavesTheRestOfTheOldOneInUse) {
  kernels::PackedRoom room;
  const auto first = room.take(kMegabyte);
  const auto large = room.take(64 * kMegabyte);
  std::memset(large.get(), 1, 64 * kMegabyte);
  const auto second = room.take(kMegabyte);
  EXPECT_EQ(second.get(), first.get() + kMegabyte / sizeof(float));
}

TEST(PackedRoom, MemoryOutlivesTheRoomAndItsNeighbours) {
  std::shared_ptr<float> kept;
  {
    kernels::PackedRoom room;
    const auto dropped = room.take(4096);
    kept = room.take(4096);
    for (int i = 0; i < 20; ++i) std::memset(room.take(3 * kMegabyte).get(), 0, 3 * kMegabyte);  // several slabs
    kept.get()[1023] = 7;
  }
  EXPECT_EQ(kept.get()[1023], 7);
}

}  // namespace
}  // namespace minnow
