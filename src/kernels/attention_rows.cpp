// Softmax of attention tiles in vector code, compiled once per instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention_rows.cpp"  // NOLINT(bugprone-suspicious-include)
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include <cmath>

#include "kernels/attention_rows.hpp"
#include "kernels/simd_math.hpp"

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

constexpr float kMinusInf = -__builtin_inff();

// Lanes i .. i + kLanes - 1 that lie in [low, high).
HWY_INLINE M in_range(Index i, Index low, Index high) {
  const DI di;
  const VI at = hn::Iota(di, static_cast<std::int32_t>(i));
  const VI first = hn::Set(di, static_cast<std::int32_t>(low)), end = hn::Set(di, static_cast<std::int32_t>(high));
  return hn::RebindMask(D(), hn::AndNot(hn::Lt(at, first), hn::Lt(at, end)));
}

// Columns [begin, end) of a row, whole parts of 16, that hold [low, high).
struct Span {
  Index begin, end;
};
HWY_INLINE Span span_of(Index low, Index high) {
  if (low >= high) return {0, 0};
  return {low / kParts * kParts, (high + kParts - 1) / kParts * kParts};
}

HWY_INLINE void zero_fill(float* s, Index begin, Index end) {
  for (Index i = begin; i < end; i += kLanes) hn::Store(hn::Zero(D()), D(), s + i);
}

HWY_INLINE V keep_of(const std::uint32_t* bits, V threshold_flipped, V keep_scale) {
  // Unsigned comparison by flipping the sign bits: kept when bits >= threshold.
  const DI di;
  const VI flipped = hn::Xor(hn::BitCast(di, hn::LoadU(DU(), bits)), hn::Set(di, INT32_MIN));
  const auto dropped = hn::Lt(flipped, hn::BitCast(di, threshold_flipped));
  return hn::IfThenZeroElse(hn::RebindMask(D(), dropped), keep_scale);
}

// Threshold as keep_of wants it. 2^32 (p = 1) does not fit, but then keep_scale is 0 anyhow.
HWY_INLINE V flipped_threshold(std::uint64_t threshold) {
  const std::uint64_t capped = threshold > 0xFFFFFFFFULL ? 0xFFFFFFFFULL : threshold;
  return hn::BitCast(D(), hn::Set(DU(), static_cast<std::uint32_t>(capped) ^ 0x80000000U));
}

// Puts -inf outside [low, high) and finds the largest element; -inf also when all are NaN.
HWY_INLINE float mask_and_max(float* s, const Span& span, Index low, Index high) {
  V best = set(kMinusInf);
  for (Index i = span.begin; i < span.end; i += kLanes) {
    V value = hn::Load(D(), s + i);
    if (i < low || i + kLanes > high) {
      value = hn::IfThenElse(in_range(i, low, high), value, set(kMinusInf));
      hn::Store(value, D(), s + i);
    }
    best = hn::Max(value, best);
  }
  return hn::GetLane(hn::MaxOfLanes(D(), best));
}

HWY_INLINE bool any_nan(const float* s, Index low, Index high) {
  for (Index i = low; i < high; ++i) {
    if (s[i] != s[i]) return true;
  }
  return false;
}

void softmax_tile_f32(const ScoreTile<float>& tile, const TileDropout<float>& drop, float* max, float* sum,
                      float* correction) {
  const V threshold = flipped_threshold(drop.threshold), keep_scale = set(drop.keep_scale);
  for (Index r = 0; r < tile.rows; ++r) {
    float* s = tile.s + r * tile.ld;
    const Span span = span_of(tile.low[r], tile.high[r]);
    zero_fill(s, 0, span.begin);
    zero_fill(s, span.end, tile.width);
    correction[r] = 1;
    const float old = max[r];
    float now = mask_and_max(s, span, tile.low[r], tile.high[r]);
    if (!(now > old)) now = old;  // also keeps an old NaN
    if (old != old) now = old;
    if (now == kMinusInf) {
      if (!any_nan(s, tile.low[r], tile.high[r])) {
        zero_fill(s, span.begin, span.end);
        continue;
      }
      now = __builtin_nanf("");
    }
    const V shift = set(now);
    Sums sums;
    for (Index i = span.begin; i < span.end; i += kParts) {
      for (Index k = 0; k < kVecs; ++k) {
        const Index at = i + k * kLanes;
        const V e = exp_flush(hn::Sub(hn::Load(D(), s + at), shift));
        sums.add(k, e);
        const V kept =
            drop.bits == nullptr ? e : hn::Mul(e, keep_of(drop.bits + r * tile.ld + at, threshold, keep_scale));
        hn::Store(kept, D(), s + at);
      }
    }
    // Nothing to correct in a row's first tile; std::exp is slow.
    if (old != now) correction[r] = old == kMinusInf ? 0.0F : std::exp(old - now);
    sum[r] = sum[r] * correction[r] + sums.total();
    max[r] = now;
  }
}

void weights_tile_f32(const ScoreTile<float>& tile, const float* lse) {
  for (Index r = 0; r < tile.rows; ++r) {
    float* s = tile.s + r * tile.ld;
    const bool dead = lse[r] == kMinusInf;
    const Span span = span_of(tile.low[r], dead ? tile.low[r] : tile.high[r]);
    zero_fill(s, 0, span.begin);
    zero_fill(s, span.end, tile.width);
    const V shift = set(lse[r]);
    for (Index i = span.begin; i < span.end; i += kLanes) {
      const V p = exp_flush(hn::Sub(hn::Load(D(), s + i), shift));
      hn::Store(hn::IfThenElseZero(in_range(i, tile.low[r], tile.high[r]), p), D(), s + i);
    }
  }
}

void softmax_backward_tile_f32(const ScoreTile<float>& tile, const TileDropout<float>& drop,
                               const BackwardTile<float>& back) {
  const V threshold = flipped_threshold(drop.threshold), keep_scale = set(drop.keep_scale), scale = set(back.scale);
  for (Index r = 0; r < tile.rows; ++r) {
    float *s = tile.s + r * tile.ld, *dp = back.dp + r * tile.ld;
    const Index low = tile.low[r], high = back.lse[r] == kMinusInf ? low : tile.high[r];
    const Span span = span_of(low, high);
    zero_fill(s, 0, span.begin);
    zero_fill(dp, 0, span.begin);
    zero_fill(s, span.end, tile.width);
    zero_fill(dp, span.end, tile.width);
    const V lse = set(back.lse[r]), delta = set(back.delta[r]);
    for (Index i = span.begin; i < span.end; i += kLanes) {
      V p = exp_flush(hn::Sub(hn::Load(D(), s + i), lse));
      V dropped = p, dweight = hn::Load(D(), dp + i);
      if (drop.bits != nullptr) {
        const V keep = keep_of(drop.bits + r * tile.ld + i, threshold, keep_scale);
        dropped = hn::Mul(p, keep);
        dweight = hn::Mul(dweight, keep);
      }
      V dscore = hn::Mul(hn::Mul(p, hn::Sub(dweight, delta)), scale);
      if (i < low || i + kLanes > high) {
        const M inside = in_range(i, low, high);
        dropped = hn::IfThenElseZero(inside, dropped);
        dscore = hn::IfThenElseZero(inside, dscore);
      }
      hn::Store(dropped, D(), s + i);
      hn::Store(dscore, D(), dp + i);
    }
  }
}

void dot_rows_f32(float* to, const float* a, Index lda, const float* b, Index ldb, Index rows, Index n) {
  for (Index r = 0; r < rows; ++r) {
    const float *x = a + r * lda, *y = b + r * ldb;
    Sums sums;
    for_vectors(n, [&](Index i, Index k, Index count)
                       HWY_ATTR { sums.add_product(k, load(x + i, count), load(y + i, count)); });
    to[r] = sums.total();
  }
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace minnow::kernels {

HWY_EXPORT(softmax_tile_f32);
HWY_EXPORT(weights_tile_f32);
HWY_EXPORT(softmax_backward_tile_f32);
HWY_EXPORT(dot_rows_f32);

template <>
void softmax_tile<float>(const ScoreTile<float>& tile, const TileDropout<float>& drop, float* max, float* sum,
                         float* correction) {
  HWY_DYNAMIC_DISPATCH(softmax_tile_f32)(tile, drop, max, sum, correction);
}
template <>
void weights_tile<float>(const ScoreTile<float>& tile, const float* lse) {
  HWY_DYNAMIC_DISPATCH(weights_tile_f32)(tile, lse);
}
template <>
void softmax_backward_tile<float>(const ScoreTile<float>& tile, const TileDropout<float>& drop,
                                  const BackwardTile<float>& back) {
  HWY_DYNAMIC_DISPATCH(softmax_backward_tile_f32)(tile, drop, back);
}
template <>
void dot_rows<float>(float* to, const float* a, Index lda, const float* b, Index ldb, Index rows, Index n) {
  HWY_DYNAMIC_DISPATCH(dot_rows_f32)(to, a, lda, b, ldb, rows, n);
}

}  // namespace minnow::kernels
#endif
