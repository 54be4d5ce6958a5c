#include "tensor/memory_plan.hpp"

#include <algorithm>
#include <numeric>

namespace minnow {

void MemoryPlan::record_birth(std::size_t bytes, std::uint64_t time) {
  Slot slot;
  slot.bytes = bytes;
  slot.birth = time;
  slots_.push_back(std::move(slot));
}

void MemoryPlan::record_death(std::uint32_t slot, std::uint64_t time) { slots_[slot].death = time; }

// 64 bytes of guard between neighbours under the sanitizer would hide nothing: ranges are poisoned exactly.
std::size_t MemoryPlan::padded(std::size_t bytes) { return (std::max<std::size_t>(bytes, 1) + 63) / 64 * 64; }

void MemoryPlan::pack() {
  std::vector<std::uint32_t> order(slots_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return slots_[a].bytes > slots_[b].bytes; });
  std::vector<std::uint32_t> placed;
  for (std::uint32_t index : order) {
    Slot& slot = slots_[index];
    if (!slot.death) continue;
    std::vector<std::pair<std::size_t, std::size_t>> taken;  // ranges of buffers alive at the same time
    for (std::uint32_t other_index : placed) {
      const Slot& other = slots_[other_index];
      const bool together = other.birth < *slot.death && slot.birth < *other.death;
      if (together) taken.emplace_back(*other.offset, *other.offset + padded(other.bytes));
    }
    std::sort(taken.begin(), taken.end());
    std::size_t offset = 0;
    for (const auto& [begin, end] : taken) {
      if (offset + padded(slot.bytes) <= begin) break;
      offset = std::max(offset, end);
    }
    slot.offset = offset;
    block_bytes_ = std::max(block_bytes_, offset + padded(slot.bytes));
    placed.push_back(index);
  }
  for (std::uint32_t a : placed) {
    for (std::uint32_t b : placed) {
      const bool overlap = *slots_[a].offset < *slots_[b].offset + padded(slots_[b].bytes) &&
                           *slots_[b].offset < *slots_[a].offset + padded(slots_[a].bytes);
      if (b < a && overlap) slots_[a].earlier_tenants.push_back(b);
    }
  }
}

}  // namespace minnow
