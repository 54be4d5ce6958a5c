#pragma once
/// @file
/// Turns pairs of channels by angles that grow with the position: rotary position embedding.

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// How x lies in memory: (outer, time, inner, head_dim), contiguous. Rows of head_dim channels at one position t share
/// their angles.
struct RopeShape {
  Index outer = 0;
  Index time = 0;   ///< T, positions
  Index inner = 0;  ///< rows at each position: heads in a (B, T, H, D) tensor, 1 in a (B, H, T, D) one
  Index head_dim = 0;
  Index rotary_dim = 0;      ///< R, even, at most head_dim: channels that turn; those behind it are copied
  bool interleaved = false;  ///< pairs are (2i, 2i + 1), else (i, i + R / 2)
};

/// y = each pair (a, b) of x turned by its angle w: (a cos w - b sin w, b cos w + a sin w).
/// @param table (T, R) contiguous: cos of the R / 2 angles of a position, then their sin
/// @param inverse turns by -w: the gradient of x from that of y
/// @param y may equal x
/// Threads: same bits at any. Instantiated for float and double.
template <class T>
void rope(T* y, const T* x, const T* table, const RopeShape& shape, bool inverse);

}  // namespace minnow::kernels
