#include "tensor/memory_plan.hpp"

#include <algorithm>
#include <numeric>

#include "tensor/lifetime_map.hpp"

namespace minnow {

void MemoryPlan::record_birth(std::size_t bytes) { slots_.push_back({.bytes = bytes, .death = {}, .offset = {}}); }

void MemoryPlan::record_death(std::uint32_t slot) { slots_[slot].death = static_cast<std::uint32_t>(slots_.size()); }

std::size_t MemoryPlan::padded(std::size_t bytes) {
  constexpr std::size_t kCacheLine = 64;
  return (std::max<std::size_t>(bytes, 1) + kCacheLine - 1) / kCacheLine * kCacheLine;
}

void MemoryPlan::pack() {
  std::vector<std::uint32_t> order(slots_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return slots_[a].bytes > slots_[b].bytes; });
  LifetimeMap taken(slots_.size());
  for (std::uint32_t index : order) {
    Slot& slot = slots_[index];
    if (!slot.death) continue;
    const Lifetime life{index, *slot.death};
    const std::size_t bytes = padded(slot.bytes);
    slot.offset = taken.lowest_gap(life, bytes);
    taken.add(life, {*slot.offset, *slot.offset + bytes});
    block_bytes_ = std::max(block_bytes_, *slot.offset + bytes);
  }
}

}  // namespace minnow
