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

// The first `count` of p[0..kLanes), the other lanes hold `pad`. Never touches memory past p + count (masked loads of
// SSE do).
HWY_INLINE V load(const float* p, Index count, float pad = 0.0F) {
  if (count == kLanes) return hn::LoadU(D(), p);
  HWY_ALIGN float buffer[kParts];
  for (Index i = 0; i < kLanes; ++i) buffer[i] = i < count ? p[i] : pad;
  return hn::Load(D(), buffer);
}

// Writes the first `count` lanes to p.
HWY_INLINE void store(V v, float* p, Index count) {
  if (count == kLanes) return hn::StoreU(v, D(), p);
  HWY_ALIGN float buffer[kParts];
  hn::Store(v, D(), buffer);
  for (Index i = 0; i < count; ++i) p[i] = buffer[i];
}

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

// Sixteen partial sums.
struct Sums {
  V part[kVecs];
  HWY_INLINE Sums() {
    for (V& p : part) p = hn::Zero(D());
  }
  HWY_INLINE void add(Index k, V value) { part[k] = hn::Add(part[k], value); }
  HWY_INLINE void add_product(Index k, V a, V b) { part[k] = hn::MulAdd(a, b, part[k]); }
  HWY_INLINE float total() const {
    HWY_ALIGN float buffer[kParts];
    for (Index k = 0; k < kVecs; ++k) hn::Store(part[k], D(), buffer + k * kLanes);
    for (Index half = kParts / 2; half > 0; half /= 2) {
      for (Index i = 0; i < half; ++i) buffer[i] += buffer[i + half];
    }
    return buffer[0];
  }
};

// The largest of x[0..n): NaN when any is NaN, -inf when n = 0.
HWY_INLINE float row_max(const float* x, Index n) {
  const float lowest = -__builtin_inff();
  V best[kVecs];
  for (V& b : best) b = set(lowest);
  V nan = hn::Zero(D());  // turns NaN when a NaN was met, whatever Max makes of it
  for_vectors(n, [&](Index i, Index k, Index count) MINNOW_LAMBDA {
    const V value = load(x + i, count, lowest);
    best[k] = hn::Max(best[k], value);
    nan = hn::IfThenElse(hn::IsNaN(value), value, nan);
  });
  HWY_ALIGN float buffer[kParts + kLanes];
  for (Index k = 0; k < kVecs; ++k) hn::Store(best[k], D(), buffer + k * kLanes);
  hn::Store(nan, D(), buffer + kParts);
  float result = lowest;
  for (Index i = 0; i < kParts; ++i) result = buffer[i] > result ? buffer[i] : result;
  for (Index i = 0; i < kLanes; ++i) {
    if (buffer[kParts + i] != buffer[kParts + i]) result = buffer[kParts + i];
  }
  return result;
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
