#pragma once
/// @file
/// Register tiles of operands that are not packed. Packing is a tenth of the time of products as small as those of a
/// narrow model (src/decisions/0008-own-products.md), whose operands lie in the second cache.

#include <algorithm>

#include "kernels/avx512_tile.hpp"

namespace minnow::kernels {

#if defined(__x86_64__)
MINNOW_AVX512_BEGIN();

/// Operands of a direct tile, as they are stored.
struct StoredOperands {
  const float* a;  ///< of the tile's first row, k = 0
  Index lda;       ///< from row to row, or with trans_a from k to k
  const float* b;  ///< of the tile's first column, k = 0
  Index ldb;       ///< from k to k
};

/// register_tile of operands that are read where they lie: A is (m, k) or, with kTurned, (k, m); B is (k, n).
template <bool kTurned, int M, int V>
__attribute__((noinline)) void direct_tile(const StoredOperands& x, Index lanes, const TileTarget& to) {
  constexpr int kReach = kTurned ? M : 3;  // rows that one pointer reaches
  constexpr int kPointers = (M + kReach - 1) / kReach;
  __m512 acc[M][V];
#pragma GCC unroll 16
  for (int i = 0; i < M; ++i)
#pragma GCC unroll 2
    for (int j = 0; j < V; ++j) {
      acc[i][j] = _mm512_setzero_ps();
      __builtin_prefetch(to.c + i * to.ldc + 16 * j, 1);
    }
  const __mmask16 last = first_lanes(to.cols - 16 * (V - 1));
  const Index row = kTurned ? 1 : x.lda, step = kTurned ? x.lda : 1;
  const float* a[kPointers];
#pragma GCC unroll 5
  for (int g = 0; g < kPointers; ++g) a[g] = x.a + g * kReach * row;
  const float* b = x.b;
  for (Index p = 0; p < lanes; ++p, b += x.ldb) {
    __m512 column[V];
#pragma GCC unroll 2
    for (int j = 0; j < V; ++j) column[j] = _mm512_maskz_loadu_ps(j == V - 1 ? last : __mmask16(-1), b + 16 * j);
#pragma GCC unroll 16
    for (int i = 0; i < M; ++i) {
      const int g = i / kReach;
#pragma GCC unroll 2
      for (int j = 0; j < V; ++j) acc[i][j] = F32Lane::multiply_add(acc[i][j], a[g][(i - g * kReach) * row], column[j]);
      if (i != M - 1 && i + 1 != (g + 1) * kReach) continue;
      a[g] += step;
      asm("" : "+r"(a[g]));  // one addition, not an index for each row
    }
  }
  write_tile<M, V>(acc, to);
}

/// The direct tile for `rows` rows, found among those compiled for M and fewer.
template <bool kTurned, int M>
void direct_tile_of_rows(Index rows, const StoredOperands& x, Index lanes, const TileTarget& to) {
  if (rows == M) {
    to.cols > 16 ? direct_tile<kTurned, M, 2>(x, lanes, to) : direct_tile<kTurned, M, 1>(x, lanes, to);
  } else if constexpr (M > 1) {
    direct_tile_of_rows<kTurned, M - 1>(rows, x, lanes, to);
  }
}

/// Which operands are not packed: those of f32 that the caches keep by themselves, but where lines that are needed
/// together would meet in one set of the first cache. B (k, n) is then read as it is.
struct DirectOperands {
  bool a, b;
  template <class Lane>
  static DirectOperands of(const TileProduct<float>& x) {
    constexpr Index kSets = 4096 / sizeof(float);  // elements after which a line meets the same set
    constexpr Index kKept = Index{1} << 18;        // elements
    if (Lane::kDepth != 1) return {false, false};
    const bool stored = x.packed == nullptr && x.strips.data == nullptr;
    return {x.lda % kSets != 0 && x.m * x.k <= kKept, stored && !x.trans_b && x.ldb % kSets != 0 && x.n * x.k <= kKept};
  }
};

/// A tile and where it begins in its product.
struct DirectTile {
  const TileProduct<float>& x;
  const DirectOperands& direct;
  Index row, col, depth;
};

/// A tile of which at least one operand is not packed; the other one is where `a` or `b` points to, unless it is
/// direct.
inline void multiply_direct(const DirectTile& tile, Index rows, const float* a, const float* b, Index lanes,
                            const TileTarget& to) {
  const TileProduct<float>& x = tile.x;
  StoredOperands stored{a, kTileRows, b, kTileCols};  // packed: [lane][kTileRows], as if turned
  if (tile.direct.b) stored.b = x.b + tile.depth * x.ldb + tile.col, stored.ldb = x.ldb;
  if (!tile.direct.a) return direct_tile_of_rows<true, kTileRows>(rows, stored, lanes, to);
  stored.lda = x.lda;
  stored.a = x.a + (x.trans_a ? tile.depth * x.lda + tile.row : tile.row * x.lda + tile.depth);
  x.trans_a ? direct_tile_of_rows<true, kTileRows>(rows, stored, lanes, to)
            : direct_tile_of_rows<false, kTileRows>(rows, stored, lanes, to);
}

MINNOW_AVX512_END();
#endif

}  // namespace minnow::kernels
