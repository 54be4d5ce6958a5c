#pragma once
/// @file
/// Chooses how a product is cut into tiles: a pure function of the shape, so that the bits never depend on threads.

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// Products A B^T of at most so many elements of C go to other kernels in OpenBLAS (its "small matrix" kernels, on
/// processors with AVX-512), which sum over k in another order.
/// Source: OpenBLAS 0.3.21, kernel/x86_64/sgemm_small_kernel_permit_skylakex.c.
inline constexpr Index kThinTile = 1200;

/// A grid of tiles over C (m, n): tile (i, j) covers rows from i * rows and columns from j * cols on.
struct GemmTiles {
  Index rows = 0;       ///< of a tile; a multiple of 16 unless there is one row of tiles
  Index cols = 0;       ///< of a tile; a multiple of 16 unless there is one column of tiles
  Index grid_rows = 0;  ///< number of tiles along m
  Index grid_cols = 0;  ///< number of tiles along n
  [[nodiscard]] Index count() const { return grid_rows * grid_cols; }
};

/// @return the grid for a product (m, k) (k, n), all at least 1.
[[nodiscard]] GemmTiles choose_gemm_tiles(Index m, Index n, Index k);

}  // namespace minnow::kernels
