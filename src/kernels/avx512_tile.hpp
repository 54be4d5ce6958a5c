#pragma once
/// @file
/// What all products for AVX-512 have in common: the size of a register tile, and where its sums go.

#include "kernels/avx512_pack.hpp"
#include "kernels/tile_product.hpp"
#include "minnow/kernels/packed_matrix.hpp"

namespace minnow::kernels {

#if defined(__x86_64__)

// The register tile: 28 accumulators, 2 vectors of B and 2 for the elements of A fill the 32 registers.
inline constexpr Index kTileRows = 14;
inline constexpr Index kTileCols = PackedMatrix::kStrip;

/// Where the sums of one register tile go.
struct TileTarget {
  float* c;
  Index ldc;
  Index cols;  ///< 1 .. kTileCols
  float alpha;
  bool add;
};

MINNOW_AVX512_BEGIN();

/// Writes M rows of V vectors of sums.
template <int M, int V, int R>
inline __attribute__((always_inline)) void write_tile(const __m512 (&acc)[R][V], const TileTarget& to) {
  const __m512 alpha = _mm512_set1_ps(to.alpha);
  const __mmask16 last = first_lanes(to.cols - 16 * (V - 1));
#pragma GCC unroll 16
  for (int i = 0; i < M; ++i)
#pragma GCC unroll 2
    for (int j = 0; j < V; ++j) {
      const __mmask16 mask = j == V - 1 ? last : first_lanes(16);
      float* at = to.c + i * to.ldc + 16 * j;
      const __m512 product = _mm512_mul_ps(acc[i][j], alpha);
      _mm512_mask_storeu_ps(at, mask, to.add ? _mm512_add_ps(product, _mm512_maskz_loadu_ps(mask, at)) : product);
    }
}

/// @return the strip of op(B) from column `col` on, where somebody packed it before; null: nobody did.
template <class Type>
const Type* packed_strip(const TileProduct<float>& x, Index block, Index col) {
  if (x.packed != nullptr) return static_cast<const Type*>(x.packed->strip(block, (x.packed_column + col) / kTileCols));
  if (x.strips.data == nullptr) return nullptr;
  return reinterpret_cast<const Type*>(x.strips.data + col * x.strips.lanes);
}

MINNOW_AVX512_END();

#endif

}  // namespace minnow::kernels
