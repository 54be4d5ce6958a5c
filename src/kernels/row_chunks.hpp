#pragma once
/// @file
/// How loops over rows are cut, and how per-row-chunk partial sums of columns are put together.

#include <algorithm>

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

// Elements that a chunk of rows should hold: some microseconds of work, well inside the L2 cache.
inline constexpr Index kRowChunkElements = 8192;
// More slots of column sums than this are not worth their memory.
inline constexpr Index kMaxColumnSlots = 64;

// Rows of a chunk when chunks leave nothing behind.
inline Index rows_per_chunk(Index n) { return std::max<Index>(1, kRowChunkElements / std::max<Index>(n, 1)); }

// Rows of a chunk when each chunk leaves a slot of column sums.
inline Index rows_per_slot(Index rows, Index n) {
  return std::max(rows_per_chunk(n), (rows + kMaxColumnSlots - 1) / kMaxColumnSlots);
}

inline Index slots_of(Index rows, Index n) {
  const Index per_slot = rows_per_slot(rows, n);
  return (rows + per_slot - 1) / per_slot;
}

// y = slot 0 + slot 1 + ... in this order, or y += that; slots are `stride` elements apart.
template <class T>
void fold_slots(T* y, const T* slots, Index count, Index stride, Index n, bool add) {
  constexpr Index kColumns = 2048;
  parallel_ranges(n, kColumns, [=](Index begin, Index end, Index) {
    if (!add) std::fill(y + begin, y + end, T(0));
    if (count == 0) return;
    T sums[kColumns];
    std::copy(slots + begin, slots + end, sums);
    for (Index slot = 1; slot < count; ++slot) {
      const T* from = slots + slot * stride + begin;
      for (Index i = 0; i < end - begin; ++i) sums[i] += from[i];
    }
    for (Index i = 0; i < end - begin; ++i) y[begin + i] += sums[i];
  });
}

}  // namespace minnow::kernels
