#pragma once
/// @file
/// Packs operands for the products of avx512_gemm.cpp. A lane is 32 bits: one f32, or two bf16 that follow each other
/// along k (the second is 0 where k is odd). A strip of width W lies as [lane][W], so that a step along k is one row.

#include <algorithm>
#include <cstdint>

#include "kernels/avx512_target.hpp"
#include "minnow/base/parallel.hpp"

#if defined(__x86_64__)
MINNOW_AVX512_BEGIN();
namespace minnow::kernels {

/// Operands as they are.
struct F32Lane {
  using Type = float;
  static constexpr Index kDepth = 1;  ///< elements along k in a lane
  /// @return acc + a b, one product per lane
  static __m512 multiply_add(__m512 acc, Type a, __m512 b) { return _mm512_fmadd_ps(_mm512_set1_ps(a), b, acc); }
};

/// Operands rounded to bf16, to nearest even; the products of a lane and their sum are taken in f32. The instruction
/// treats denormal numbers as 0. Source: Intel's manual, VDPBF16PS.
struct Bf16Lane {
  using Type = std::uint32_t;
  static constexpr Index kDepth = 2;
  static __m512 multiply_add(__m512 acc, Type a, __m512 b) {
    return _mm512_dpbf16_ps(acc, reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(a))),
                            reinterpret_cast<__m512bh>(b));
  }
};

/// @return a mask of the first `count` of 16 elements; count may be negative or more than 16.
inline __mmask16 first_lanes(Index count) {
  return static_cast<__mmask16>((1U << static_cast<unsigned>(std::clamp<Index>(count, 0, 16))) - 1U);
}

/// Transposes 16 vectors of 16 lanes, in place.
inline void transpose_16x16(__m512i (&r)[16]) {
  __m512i t[16];
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  // Now r[4 q + c] holds column c of rows 4 q .. 4 q + 3 in each quarter; the quarters change places twice.
  for (int i = 0; i < 4; ++i) {
    t[i] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88);
    t[i + 4] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xdd);
    t[i + 8] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88);
    t[i + 12] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xdd);
  }
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
    r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
    r[i + 4] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0x88);
    r[i + 12] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0xdd);
  }
}

/// @return 16 lanes along a row, of which `left` elements exist; the others are 0.
template <class Lane>
inline __m512i load_lanes(const float* row, Index left) {
  const __m512 low = _mm512_maskz_loadu_ps(first_lanes(left), row);
  if constexpr (Lane::kDepth == 1) {
    return _mm512_castps_si512(low);
  } else {
    const __m512 high = _mm512_maskz_loadu_ps(first_lanes(left - 16), row + 16);
    return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low));
  }
}

/// Asks for the same elements of the next strip. Its rows lie far from each other, which the processor's own
/// prefetching does not follow. Measured on one Zen 4 core, weights that come from memory: 8 GB/s without, 23 with.
template <class Lane, int W>
inline void prefetch_next_strip(const float* source, Index ld) {
  constexpr Index kLine = 16;  // floats
  for (Index line = 0; line < 16 * Lane::kDepth; line += kLine)
#pragma GCC unroll 32
    for (int i = 0; i < W; ++i) _mm_prefetch(reinterpret_cast<const char*>(source + (W + i) * ld + line), _MM_HINT_T1);
}

/// Asks for a block of memory that is packed later, a few lines at a time: packing is a moment in which nothing is
/// multiplied, and all of a block's lines wanted at once wait for each other.
class BlockAhead {
 public:
  BlockAhead() = default;
  /// @param rows of `length` elements, `ld` elements from row to row
  BlockAhead(const float* at, Index rows, Index length, Index ld)
      : row_(at), rows_(rows), lines_((length + kLine - 1) / kLine + 1), ld_(ld) {}

  [[nodiscard]] Index lines() const { return rows_ * lines_; }
  void ask(Index count) {
    for (; count > 0 && rows_ > 0; --count) {
      _mm_prefetch(reinterpret_cast<const char*>(row_ + line_ * kLine), _MM_HINT_T1);
      if (++line_ < lines_) continue;
      line_ = 0;
      --rows_;
      row_ += ld_;
    }
  }

 private:
  static constexpr Index kLine = 16;  // floats
  const float* row_ = nullptr;
  Index rows_ = 0, lines_ = 0, ld_ = 0, line_ = 0;
};

/// A strip whose source has k along its rows: element (k, i) is source[i * ld + k], i < width <= W.
/// @param Ahead whether the next strip is asked for
template <class Lane, int W, bool Ahead = false>
void pack_along_rows(const float* source, Index ld, Index width, Index k, typename Lane::Type* to) {
  constexpr Index kBlock = 16 * Lane::kDepth;
  constexpr int kGroup = std::min(W, 16);
  for (Index at = 0; at < k; at += kBlock) {
    const Index lanes = std::min<Index>(16, (k - at + Lane::kDepth - 1) / Lane::kDepth);
    if constexpr (Ahead) prefetch_next_strip<Lane, W>(source + at, ld);
    for (int group = 0; group < W; group += 16) {
      __m512i r[16];
      for (int i = 0; i < 16; ++i) {
        r[i] = i < kGroup && group + i < width ? load_lanes<Lane>(source + (group + i) * ld + at, k - at)
                                               : _mm512_setzero_si512();
      }
      transpose_16x16(r);
      typename Lane::Type* row = to + at / Lane::kDepth * W + group;
      if (lanes == 16) {
#pragma GCC unroll 16
        for (int p = 0; p < 16; ++p) _mm512_storeu_si512(row + p * W, r[p]);
      } else {
        for (int p = 0; p < lanes; ++p) _mm512_storeu_si512(row + p * W, r[p]);
      }
    }
  }
}

/// One lane of up to 16 columns, from the row `from` and, where a lane holds two elements, the next one.
/// @param both whether there is a next row
template <class Lane>
inline __m512i lane_of_rows(const float* from, Index ld, bool both, __mmask16 mask) {
  const __m512 first = _mm512_maskz_loadu_ps(mask, from);
  if constexpr (Lane::kDepth == 1) {
    return _mm512_castps_si512(first);
  } else {
    const __m512 second = both ? _mm512_maskz_loadu_ps(mask, from + ld) : _mm512_setzero_ps();
    const __m512i low = _mm512_cvtepu16_epi32(reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(first)));
    const __m512i high = _mm512_cvtepu16_epi32(reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(second)));
    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
  }
}

/// A strip whose source has k along its columns: element (k, i) is source[k * ld + i], i < width <= W.
template <class Lane, int W>
void pack_along_columns(const float* source, Index ld, Index width, Index k, typename Lane::Type* to) {
  for (Index at = 0; at < k; at += Lane::kDepth) {
    typename Lane::Type* row = to + at / Lane::kDepth * W;
    for (int group = 0; group < W; group += 16) {
      const __mmask16 mask = first_lanes(std::min<Index>(width - group, std::min(W, 16)));
      _mm512_storeu_si512(row + group, lane_of_rows<Lane>(source + at * ld + group, ld, at + 1 < k, mask));
    }
  }
}

/// Strips next to each other, as pack_along_columns makes each: element (k, i) is source[k * ld + i], i < count. Row by
/// row, since rows lie on pages of their own, and one strip of them after the other would visit each page many times.
template <class Lane, int W>
void pack_strips_along_columns(const float* source, Index ld, Index count, Index k, typename Lane::Type* to) {
  static_assert(W <= 16);
  const Index lanes = (k + Lane::kDepth - 1) / Lane::kDepth;
  const Index whole = count / W * W;
  for (Index p = 0; p < lanes; ++p) {
    const float* from = source + p * Lane::kDepth * ld;
    typename Lane::Type* row = to + p * W;
    const bool both = Lane::kDepth == 1 || p * Lane::kDepth + 1 < k;
    // What a store writes too much is written again with the next row; behind the last one lies the next strip.
    const __mmask16 written = first_lanes(p + 1 < lanes ? 16 : W);
    for (Index i = 0; i < whole; i += W)
      _mm512_mask_storeu_epi32(row + i * lanes, written, lane_of_rows<Lane>(from + i, ld, both, first_lanes(W)));
    if (whole < count) {
      const __m512i lane = lane_of_rows<Lane>(from + whole, ld, both, first_lanes(count - whole));
      _mm512_mask_storeu_epi32(row + whole * lanes, written, lane);
    }
  }
}

}  // namespace minnow::kernels
MINNOW_AVX512_END();
#endif
