// Vector helpers of the kernel files, compiled once per instruction set: include after hwy/foreach_target.h.
//
// All sums go to kParts = 16 partial sums, element i to number i % 16, whatever the vector width, and are folded in one
// fixed tree. So the bits differ between instruction sets only by fused multiply-add (AVX2 and AVX-512 agree).
#if defined(MINNOW_KERNELS_SIMD_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MINNOW_KERNELS_SIMD_HPP
#undef MINNOW_KERNELS_SIMD_HPP
#else
#define MINNOW_KERNELS_SIMD_HPP
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"
#include "minnow/base/parallel.hpp"

// Bodies of vector loops: must be inlined so that counts are constants and sums stay in registers.
#ifndef MINNOW_LAMBDA
#define MINNOW_LAMBDA HWY_ATTR __attribute__((always_inline))
#endif

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr Index kParts = 16;
using D = hn::CappedTag<float, static_cast<size_t>(kParts)>;
using DI = hn::RebindToSigned<D>;
using DU = hn::RebindToUnsigned<D>;
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;
using M = hn::Mask<D>;
// Vector types in arrays: right for x86 and NEON; scalable vectors would need one memory slot per part instead.
inline constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(D()));
inline constexpr Index kVecs = kParts / kLanes;

HWY_INLINE V set(float value) { return hn::Set(D(), value); }

// Masked loads and stores leave memory past the mask alone on AVX2 and AVX-512; those of SSE do not.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
// The first `count` of p[0..kLanes), the other lanes hold `pad`.
HWY_INLINE V load(const float* p, Index count, float pad = 0.0F) {
  if (count == kLanes) return hn::LoadU(D(), p);
  const M mask = hn::FirstN(D(), static_cast<size_t>(count));
  return hn::IfThenElse(mask, hn::MaskedLoad(mask, D(), p), set(pad));
}

// Writes the first `count` lanes to p.
HWY_INLINE void store(V v, float* p, Index count) {
  if (count == kLanes) return hn::StoreU(v, D(), p);
  hn::BlendedStore(v, hn::FirstN(D(), static_cast<size_t>(count)), D(), p);
}
#else
HWY_INLINE V load(const float* p, Index count, float pad = 0.0F) {
  if (count == kLanes) return hn::LoadU(D(), p);
  HWY_ALIGN float buffer[kParts];
  for (Index i = 0; i < kLanes; ++i) buffer[i] = i < count ? p[i] : pad;
  return hn::Load(D(), buffer);
}

HWY_INLINE void store(V v, float* p, Index count) {
  if (count == kLanes) return hn::StoreU(v, D(), p);
  HWY_ALIGN float buffer[kParts];
  hn::Store(v, D(), buffer);
  for (Index i = 0; i < count; ++i) p[i] = buffer[i];
}
#endif

// Calls body(i, k, count) for vectors of `count` elements at i, k = the vector's place among the parts. `count` is the
// constant kLanes but for the last vector.
template <class Body>
HWY_INLINE void for_vectors(Index n, Body&& body) {
  Index i = 0;
  for (; i + kParts <= n; i += kParts) {
    for (Index k = 0; k < kVecs; ++k) body(i + k * kLanes, k, kLanes);
  }
  Index k = 0;
  for (; i + kLanes <= n; i += kLanes, ++k) body(i, k, kLanes);
  if (i < n) body(i, k, n - i);
}

// y = f(x), or y += f(x).
template <bool kAdd, class F>
HWY_INLINE void map1(float* y, const float* x, Index n, F&& f) {
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    const V value = f(load(x + i, count));
    store(kAdd ? hn::Add(load(y + i, count), value) : value, y + i, count);
  });
}

// y = f(a, b), or y += f(a, b).
template <bool kAdd, class F>
HWY_INLINE void map2(float* y, const float* a, const float* b, Index n, F&& f) {
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    const V value = f(load(a + i, count), load(b + i, count));
    store(kAdd ? hn::Add(load(y + i, count), value) : value, y + i, count);
  });
}

// The lanes of one vector: halves down to four lanes, which are shuffled.
template <class DV, class Op>
HWY_INLINE float fold_lanes(DV /*d*/, hn::Vec<DV> v, [[maybe_unused]] Op&& op) {
  if constexpr (hn::MaxLanes(DV()) == 1) {
    return hn::GetLane(v);
#if HWY_TARGET != HWY_SCALAR
  } else if constexpr (hn::MaxLanes(DV()) == 4) {
    const auto pairs = op(v, hn::Shuffle1032(v));
    return hn::GetLane(op(pairs, hn::Shuffle2301(pairs)));
  } else {
    const hn::Half<DV> half;
    return fold_lanes(half, op(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), op);
#endif
  }
}

// Folds sixteen partial results with `op`: i with i + 8, then i with i + 4, 2 and 1. The same tree on every target.
template <class Op>
HWY_INLINE float fold_parts(const V (&part)[kVecs], Op&& op) {
  V v[kVecs];
  for (Index k = 0; k < kVecs; ++k) v[k] = part[k];
  for (Index half = kVecs / 2; half > 0; half /= 2) {
    for (Index k = 0; k < half; ++k) v[k] = op(v[k], v[k + half]);
  }
  return fold_lanes(D(), v[0], op);
}

// Sixteen partial sums.
struct Sums {
  V part[kVecs];
  HWY_INLINE Sums() {
    for (V& p : part) p = hn::Zero(D());
  }
  HWY_INLINE void add(Index k, V value) { part[k] = hn::Add(part[k], value); }
  HWY_INLINE void add_product(Index k, V a, V b) { part[k] = hn::MulAdd(a, b, part[k]); }
  HWY_INLINE float total() const {
    return fold_parts(part, [](auto a, auto b) MINNOW_LAMBDA { return hn::Add(a, b); });
  }
};

// The largest of f(x[0..n)), where f is |x| or x: NaN when any x is NaN, `lowest` when n = 0.
template <class F>
HWY_INLINE float largest(const float* x, Index n, float lowest, F&& f) {
  V best[kVecs];
  for (V& b : best) b = set(lowest);
  V nan = hn::Zero(D());  // holds a NaN once one was met: Max loses it
  for_vectors(n, [&](Index i, Index k, Index count) MINNOW_LAMBDA {
    const V value = load(x + i, count, lowest);
    best[k] = hn::Max(best[k], f(value));
    nan = hn::IfThenElse(hn::IsNaN(value), value, nan);
  });
  if (HWY_UNLIKELY(!hn::AllTrue(D(), hn::Eq(nan, nan)))) return __builtin_nanf("");
  return fold_parts(best, [](auto a, auto b) MINNOW_LAMBDA { return hn::Max(a, b); });
}

HWY_INLINE float row_max(const float* x, Index n) {
  return largest(x, n, -__builtin_inff(), [](V v) MINNOW_LAMBDA { return v; });
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
