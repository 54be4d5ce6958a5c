#pragma once
/// @file
/// Cuts the product of a tile into panels, so that buffers for a part of its factors have a size that is known before.

#include <algorithm>
#include <cstddef>

#include "kernels/tile_product.hpp"

namespace minnow::kernels {

/// Rows and columns of a panel lie between its edge and twice that; its part of the sum is at most `most_sum` long.
inline constexpr Index kPanelRows = 128;
/// Two rows of such a panel are still more than OpenBLAS takes for a small product (kThinTile), which it would sum in
/// another order than the same rows among others.
inline constexpr Index kPanelCols = 624;

/// Where piece `index` of `count` begins: on multiples of 16.
inline Index piece_begin(Index size, Index count, Index index) {
  return index == count ? size : size * index / count / 16 * 16;
}

/// @return numbers in the panels of A and B together, at most, when no m, n or k is larger than `largest`.
inline std::size_t most_in_panels(Index most_sum, Index largest) {
  return static_cast<std::size_t>((std::min(2 * kPanelRows, largest) + std::min(2 * kPanelCols, largest)) *
                                  std::min(most_sum, largest));
}

/// Calls `take(panel, b_is_new)` for every panel, those of one element of C in the order of the sum; beta of the later
/// ones is 1. The cut along n and k does not depend on m. b_is_new: whether the panel's B is another than the last
/// one's. @param most_sum a multiple of 16; 0: the sum is not cut
template <class Take>
void for_each_panel(const TileProduct<float>& x, Index most_sum, Take&& take) {
  const Index rows = std::max<Index>(1, x.m / kPanelRows), cols = std::max<Index>(1, x.n / kPanelCols);
  const Index sums = most_sum == 0 ? 1 : (x.k + most_sum - 1) / most_sum;
  for (Index s = 0; s < sums; ++s) {
    const Index k = s * most_sum, depth = sums == 1 ? x.k : std::min(most_sum, x.k - k);
    for (Index c = 0; c < cols; ++c) {
      const Index n = piece_begin(x.n, cols, c), width = piece_begin(x.n, cols, c + 1) - n;
      for (Index r = 0; r < rows; ++r) {
        const Index m = piece_begin(x.m, rows, r);
        TileProduct<float> panel = x;
        panel.m = piece_begin(x.m, rows, r + 1) - m;
        panel.n = width;
        panel.k = depth;
        panel.a += x.trans_a ? k * x.lda + m : m * x.lda + k;
        panel.b += x.trans_b ? n * x.ldb + k : k * x.ldb + n;
        panel.c += m * x.ldc + n;
        if (s > 0) panel.beta = 1;
        take(panel, r == 0);
      }
    }
  }
}

}  // namespace minnow::kernels
