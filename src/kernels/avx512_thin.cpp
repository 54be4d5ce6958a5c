#include "kernels/avx512_thin.hpp"

#include <vector>

#include "kernels/avx512_pack.hpp"
#include "minnow/kernels/packed_matrix.hpp"

namespace minnow::kernels {

#if defined(__x86_64__)
MINNOW_AVX512_BEGIN();
namespace {

constexpr Index kVector = 16;  // floats, or lanes, of one register

/// Sums of M rows by 32 columns.
template <int M>
struct ThinSums {
  __m512 at[M][2];

  void clear() {
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i) at[i][0] = at[i][1] = _mm512_setzero_ps();
  }

  /// Makes alpha times these C, or adds them to it. Rounds as the tiles of other products do.
  void store(float* c, Index ldc, Index width, float alpha, bool add) const {
    const __m512 factor = _mm512_set1_ps(alpha);
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i)
#pragma GCC unroll 2
      for (int j = 0; j < 2; ++j) {
        const __mmask16 mask = first_lanes(width - kVector * j);
        float* to = c + i * ldc + kVector * j;
        const __m512 product = _mm512_mul_ps(at[i][j], factor);
        _mm512_mask_storeu_ps(to, mask, add ? _mm512_add_ps(product, _mm512_maskz_loadu_ps(mask, to)) : product);
      }
  }
};

/// 16 columns of C over `lanes` (1 .. 16) steps of k, of which `left` elements exist.
template <class Lane, int M>
inline void add_square(ThinSums<M>& sums, int j, const typename Lane::Type* a, Index lda, const float* b, Index ldb,
                       Index left) {
  __m512i r[kVector];
#pragma GCC unroll 16
  for (int i = 0; i < kVector; ++i) r[i] = load_lanes<Lane>(b + i * ldb, left);
  transpose_16x16(r);
  if (left >= kVector * Lane::kDepth) {
#pragma GCC unroll 16
    for (int p = 0; p < kVector; ++p)
#pragma GCC unroll 8
      for (int i = 0; i < M; ++i)
        sums.at[i][j] = Lane::multiply_add(sums.at[i][j], a[i * lda + p], _mm512_castsi512_ps(r[p]));
    return;
  }
  alignas(64) float rows[kVector][kVector];
  for (int p = 0; p < kVector; ++p) _mm512_store_si512(rows[p], r[p]);
  const Index lanes = (left + Lane::kDepth - 1) / Lane::kDepth;
  for (Index p = 0; p < lanes; ++p)
    for (int i = 0; i < M; ++i)
      sums.at[i][j] = Lane::multiply_add(sums.at[i][j], a[i * lda + p], _mm512_load_ps(rows[p]));
}

/// A strip of B as it is stored: row `i` of 32 at b + i * ldb.
template <class Lane, int M>
void stored_strip(const TileProduct<float>& x, Index col, const typename Lane::Type* a, Index lda) {
  const bool goes_on = col + 2 * kThinStrip <= x.n;  // else another thread may read the next strip: not into this cache
  constexpr Index kStep = kVector * Lane::kDepth;
  constexpr Index kBlock = PackedMatrix::kBlock * Lane::kDepth;
  const float* const b = x.b + col * x.ldb;
  for (Index depth = 0; depth < x.k; depth += kBlock) {
    const Index end = std::min(x.k, depth + kBlock);
    ThinSums<M> sums;
    sums.clear();
    for (Index at = depth; at < end; at += kStep) {
      const float* const from = b + at;
      if (goes_on) prefetch_next_strip<Lane, kThinStrip>(from, x.ldb);
#pragma GCC unroll 2
      for (int j = 0; j < 2; ++j)
        add_square<Lane, M>(sums, j, a + at / Lane::kDepth, lda, from + j * kVector * x.ldb, x.ldb, end - at);
    }
    sums.store(x.c + col, x.ldc, kThinStrip, x.alpha, x.beta != 0 || depth > 0);
  }
}

/// A strip of B that is packed.
template <class Lane, int M>
void packed_strip(const TileProduct<float>& x, Index col, const typename Lane::Type* a, Index lda) {
  constexpr Index kAhead = 4096 / sizeof(float);  // lanes; measured: 2 to 8 KB are the same
  constexpr Index kBlock = PackedMatrix::kBlock;
  const Index all = (x.k + Lane::kDepth - 1) / Lane::kDepth;
  const Index strip = (x.packed_column + col) / kThinStrip;
  for (Index depth = 0; depth < all; depth += kBlock) {
    const Index lanes = std::min(kBlock, all - depth);
    const auto* b = static_cast<const typename Lane::Type*>(x.packed->strip(depth / kBlock, strip));
    ThinSums<M> sums;
    sums.clear();
    for (Index p = 0; p < lanes; ++p, b += kThinStrip) {
      _mm_prefetch(reinterpret_cast<const char*>(b + kAhead), _MM_HINT_T0);
      _mm_prefetch(reinterpret_cast<const char*>(b + kAhead + kVector), _MM_HINT_T0);
      const __m512 first = _mm512_load_ps(b);
      const __m512 second = _mm512_load_ps(b + kVector);
#pragma GCC unroll 8
      for (int i = 0; i < M; ++i) {
        const typename Lane::Type factor = a[i * lda + depth + p];
        sums.at[i][0] = Lane::multiply_add(sums.at[i][0], factor, first);
        sums.at[i][1] = Lane::multiply_add(sums.at[i][1], factor, second);
      }
    }
    sums.store(x.c + col, x.ldc, std::min(kThinStrip, x.n - col), x.alpha, x.beta != 0 || depth > 0);
  }
}

template <class Lane, int M>
Index multiply_thin_rows(const TileProduct<float>& x, const typename Lane::Type* a, Index lda) {
  if (x.m < M) {
    if constexpr (M > 1) return multiply_thin_rows<Lane, M - 1>(x, a, lda);
  }
  if (x.packed != nullptr) {
    for (Index col = 0; col < x.n; col += kThinStrip) packed_strip<Lane, M>(x, col, a, lda);
    return x.n;
  }
  const Index whole = x.n / kThinStrip * kThinStrip;
  for (Index col = 0; col < whole; col += kThinStrip) stored_strip<Lane, M>(x, col, a, lda);
  return whole;
}

constexpr Index kPairsStep = kVector * Bf16Lane::kDepth;

/// Rounds the rows of A to bf16, in pairs along k; row i goes to to + i * lda.
void pack_thin_rows(const TileProduct<float>& x, std::uint32_t* to, Index lda) {
  for (Index i = 0; i < x.m; ++i)
    for (Index at = 0; at < x.k; at += kPairsStep)
      _mm512_storeu_si512(to + i * lda + at / Bf16Lane::kDepth, load_lanes<Bf16Lane>(x.a + i * x.lda + at, x.k - at));
}

}  // namespace
MINNOW_AVX512_END();

Index multiply_thin_avx512(const TileProduct<float>& x) {
  if (x.precision == GemmPrecision::kF32) return multiply_thin_rows<F32Lane, kThinRows>(x, x.a, x.lda);
  thread_local std::vector<std::uint32_t> rows;
  const Index lda = (x.k + kPairsStep - 1) / kPairsStep * kVector;
  if (std::ssize(rows) < x.m * lda) rows.resize(static_cast<std::size_t>(x.m * lda));
  pack_thin_rows(x, rows.data(), lda);
  return multiply_thin_rows<Bf16Lane, kThinRows>(x, rows.data(), lda);
}

#else

Index multiply_thin_avx512(const TileProduct<float>&) { return 0; }

#endif

}  // namespace minnow::kernels
