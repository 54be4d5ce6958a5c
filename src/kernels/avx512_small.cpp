#include "kernels/avx512_small.hpp"

#include <algorithm>

#include "kernels/avx512_direct.hpp"
#include "kernels/avx512_tile.hpp"

namespace minnow::kernels {

#if defined(__x86_64__)
namespace {

// Products up to these sizes, such as those of attention in short documents, would take longer to pack than to
// multiply: elements are read where they lie, but for operands that must be turned or rounded.
constexpr Index kSmallRows = 32;
constexpr Index kSmallCols = 32;
constexpr Index kSmallDepth = 64;
constexpr Index kSmallStrip = 16;  // rows of A that are packed at once
constexpr Index kSmallTile = 8;    // rows that are summed at once

}  // namespace

MINNOW_AVX512_BEGIN();
namespace {

/// Lanes of an operand: the one of row (of B: column) i in step p is at[i * row + p * step].
template <class Type>
struct Lanes {
  const Type* at;
  Index row, step;
};

/// The sums of register_tile for lanes that lie anywhere. Of B, 16 columns follow each other.
template <class Lane, int M, int V>
void small_tile(const Lanes<typename Lane::Type>& a, const Lanes<typename Lane::Type>& b, Index lanes,
                const TileTarget& to) {
  __m512 acc[M][V];
#pragma GCC unroll 16
  for (int i = 0; i < M; ++i)
#pragma GCC unroll 2
    for (int j = 0; j < V; ++j) acc[i][j] = _mm512_setzero_ps();
  const __mmask16 last = first_lanes(to.cols - 16 * (V - 1));
  for (Index p = 0; p < lanes; ++p) {
    __m512 row[V];
#pragma GCC unroll 2
    for (int j = 0; j < V; ++j) row[j] = _mm512_maskz_loadu_ps(j == V - 1 ? last : 0xffff, b.at + p * b.step + 16 * j);
#pragma GCC unroll 16
    for (int i = 0; i < M; ++i)
#pragma GCC unroll 2
      for (int j = 0; j < V; ++j) acc[i][j] = Lane::multiply_add(acc[i][j], a.at[i * a.row + p * a.step], row[j]);
  }
  write_tile<M, V>(acc, to);
}

template <class Lane, int M>
void small_tile_of_rows(Index rows, const Lanes<typename Lane::Type>& a, const Lanes<typename Lane::Type>& b,
                        Index lanes, const TileTarget& to) {
  if (rows == M) {
    to.cols > 16 ? small_tile<Lane, M, 2>(a, b, lanes, to) : small_tile<Lane, M, 1>(a, b, lanes, to);
  } else if constexpr (M > 1) {
    small_tile_of_rows<Lane, M - 1>(rows, a, b, lanes, to);
  }
}

/// @return rows [row, row + count) of op(A), at most kSmallStrip of them; packed into `to` where they must be rounded.
template <class Lane>
Lanes<typename Lane::Type> small_a(const TileProduct<float>& x, Index row, Index count, typename Lane::Type* to) {
  const float* from = x.a + row * (x.trans_a ? 1 : x.lda);
  if constexpr (Lane::kDepth == 1) {
    return {from, x.trans_a ? 1 : x.lda, x.trans_a ? x.lda : 1};
  } else {
    x.trans_a ? pack_along_columns<Lane, kSmallStrip>(from, x.lda, count, x.k, to)
              : pack_along_rows<Lane, kSmallStrip>(from, x.lda, count, x.k, to);
    return {to, 1, kSmallStrip};
  }
}

template <class Lane, int W>
Lanes<typename Lane::Type> packed_b(const TileProduct<float>& x, typename Lane::Type* to) {
  x.trans_b ? pack_along_rows<Lane, W>(x.b, x.ldb, x.n, x.k, to)
            : pack_along_columns<Lane, W>(x.b, x.ldb, x.n, x.k, to);
  return {to, 1, W};
}

/// @return op(B), packed into `to` unless it lies as it is read.
template <class Lane>
Lanes<typename Lane::Type> small_b(const TileProduct<float>& x, typename Lane::Type* to) {
  if (Lane::kDepth == 2 || x.trans_b) return x.n <= 16 ? packed_b<Lane, 16>(x, to) : packed_b<Lane, kSmallCols>(x, to);
  return {reinterpret_cast<const typename Lane::Type*>(x.b), 1, x.ldb};
}

template <class Lane>
void multiply_small(const TileProduct<float>& x) {
  using Type = typename Lane::Type;
  alignas(64) Type packed_a[kSmallDepth * kSmallStrip];
  alignas(64) Type packed_b[kSmallDepth * kSmallCols];
  const Index lanes = (x.k + Lane::kDepth - 1) / Lane::kDepth;
  const Lanes<Type> b = small_b<Lane>(x, packed_b);
  for (Index row = 0; row < x.m; row += kSmallStrip) {
    const Index rows = std::min(kSmallStrip, x.m - row);
    const Lanes<Type> a = small_a<Lane>(x, row, rows, packed_a);
    for (Index i = 0; i < rows; i += kSmallTile) {
      const TileTarget to{x.c + (row + i) * x.ldc, x.ldc, x.n, x.alpha, x.beta != 0};
      small_tile_of_rows<Lane, kSmallTile>(std::min(kSmallTile, rows - i), {a.at + i * a.row, a.row, a.step}, b, lanes,
                                           to);
    }
  }
}

/// Few rows of A, read where they lie, by strips that somebody packed: turning A would take long beside so few strips.
void multiply_few_rows(const TileProduct<float>& x) {
  for (Index col = 0; col < x.n; col += kTileCols) {
    const float* strip = packed_strip<float>(x, 0, col);
    for (Index i = 0; i < x.m; i += kTileRows) {
      const TileTarget to{x.c + i * x.ldc + col, x.ldc, std::min(kTileCols, x.n - col), x.alpha, x.beta != 0};
      direct_tile_of_rows<false, kTileRows>(std::min(kTileRows, x.m - i), {x.a + i * x.lda, x.lda, strip, kTileCols},
                                            x.k, to);
    }
  }
}

/// @return whether B is packed, and few rows of A are to be multiplied by it.
bool has_few_rows(const TileProduct<float>& x) {
  return x.strips.data != nullptr && x.precision == GemmPrecision::kF32 && !x.trans_a && x.m <= kSmallRows;
}

}  // namespace
MINNOW_AVX512_END();

bool is_small_avx512(const TileProduct<float>& x) {
  if (x.packed != nullptr) return false;
  if (x.strips.data != nullptr) return has_few_rows(x);
  return x.m <= kSmallRows && x.n <= kSmallCols && x.k <= kSmallDepth;
}

void multiply_small_avx512(const TileProduct<float>& x) {
  if (x.strips.data != nullptr) return multiply_few_rows(x);
  x.precision == GemmPrecision::kBf16 ? multiply_small<Bf16Lane>(x) : multiply_small<F32Lane>(x);
}

#else

bool is_small_avx512(const TileProduct<float>&) { return false; }
void multiply_small_avx512(const TileProduct<float>&) {}

#endif

}  // namespace minnow::kernels
