#pragma once
/// @file
/// Gathers rows of a table by number, and scatters gradients back. Id is std::int32_t or std::int64_t.

#include <cstdint>

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// @return the index of the first id outside [0, limit), or -1. Serial. The door's check before the two below.
template <class Id>
[[nodiscard]] Index first_id_out_of_range(const Id* ids, Index n, Index limit);

/// y[i] = table[ids[i]], or y[i] += with `add`. Shapes y (tokens, width), table (vocab, width), ids (tokens).
template <class T, class Id>
void embedding_forward(T* y, const T* table, const Id* ids, Index tokens, Index width, bool add = false);

/// dtable[ids[i]] += dout[i] for i in order; ids equal to `padding_index` collect nothing. Shapes as in the forward
/// pass. The work is split over channels, so each sum is taken in token order: same bits at any thread count.
template <class T, class Id>
void embedding_backward(T* dtable, const T* dout, const Id* ids, Index tokens, Index width,
                        std::int64_t padding_index = -1);

}  // namespace minnow::kernels
