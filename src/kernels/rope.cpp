#include "minnow/kernels/rope.hpp"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rope.cpp"
#include "hwy/foreach_target.h"
#include "kernels/simd.hpp"
// clang-format on
#include "kernels/reference/rope.hpp"
#include "kernels/row_chunks.hpp"

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

struct Pair {
  V a, b;
};
HWY_INLINE Pair turn(V a, V b, V c, V s) {
  return {hn::NegMulAdd(b, s, hn::Mul(a, c)), hn::MulAdd(b, c, hn::Mul(a, s))};
}

HWY_INLINE void turn_halves(float* y, const float* x, const float* angles, Index half, V sign) {
  for_vectors(half, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    const Pair turned = turn(load(x + i, count), load(x + half + i, count), load(angles + i, count),
                             hn::Mul(sign, load(angles + half + i, count)));
    store(turned.a, y + i, count);
    store(turned.b, y + half + i, count);
  });
}

HWY_INLINE void turn_neighbours(float* y, const float* x, const float* angles, Index half, V sign) {
  Index i = 0;
  for (; i + kLanes <= half; i += kLanes) {
    V a;
    V b;
    hn::LoadInterleaved2(D(), x + 2 * i, a, b);
    const Pair turned = turn(a, b, load(angles + i, kLanes), hn::Mul(sign, load(angles + half + i, kLanes)));
    hn::StoreInterleaved2(turned.a, turned.b, D(), y + 2 * i);
  }
  const float one = hn::GetLane(sign);
  for (; i < half; ++i) {
    const float c = angles[i];
    const float s = one * angles[half + i];
    const float a = x[2 * i];
    const float b = x[2 * i + 1];
    y[2 * i] = a * c - b * s;
    y[2 * i + 1] = b * c + a * s;
  }
}

void rope_rows(float* y, const float* x, const float* table, const RopeShape& shape, bool inverse, Index begin,
               Index end) {
  const V sign = set(inverse ? -1.0F : 1.0F);
  for (Index row = begin; row < end; ++row) {
    const float* angles = table + row / shape.inner % shape.time * shape.rotary_dim;
    const float* from = x + row * shape.head_dim;
    float* to = y + row * shape.head_dim;
    if (shape.interleaved) {
      turn_neighbours(to, from, angles, shape.rotary_dim / 2, sign);
    } else {
      turn_halves(to, from, angles, shape.rotary_dim / 2, sign);
    }
    std::copy(from + shape.rotary_dim, from + shape.head_dim, to + shape.rotary_dim);
  }
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace minnow::kernels {

HWY_EXPORT(rope_rows);

namespace {

void rows(float* y, const float* x, const float* table, const RopeShape& shape, bool inverse, Index begin, Index end) {
  HWY_DYNAMIC_DISPATCH(rope_rows)(y, x, table, shape, inverse, begin, end);
}
void rows(double* y, const double* x, const double* table, const RopeShape& shape, bool inverse, Index begin,
          Index end) {
  for (Index row = begin; row < end; ++row) {
    reference::rope_row(y + row * shape.head_dim, x + row * shape.head_dim,
                        table + row / shape.inner % shape.time * shape.rotary_dim, shape, inverse);
  }
}

}  // namespace

template <class T>
void rope(T* y, const T* x, const T* table, const RopeShape& shape, bool inverse) {
  parallel_ranges(shape.outer * shape.time * shape.inner, rows_per_chunk(shape.head_dim),
                  [&](Index begin, Index end, Index) { rows(y, x, table, shape, inverse, begin, end); });
}

template void rope<float>(float*, const float*, const float*, const RopeShape&, bool);
template void rope<double>(double*, const double*, const double*, const RopeShape&, bool);

}  // namespace minnow::kernels
#endif  // HWY_ONCE
