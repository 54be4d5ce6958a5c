#include "minnow/kernels/elementwise.hpp"

#include <cstring>

#include "minnow/kernels/convert.hpp"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise.cpp"
#include "hwy/foreach_target.h"
#include "kernels/simd.hpp"
// clang-format on
#include "kernels/row_chunks.hpp"

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

void fill_array(float* y, float value, Index n) {
  const V v = set(value);
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA { store(v, y + i, count); });
}

void add_array(float* y, const float* a, const float* b, Index n) {
  map2<false>(y, a, b, n, [](V u, V v) MINNOW_LAMBDA { return hn::Add(u, v); });
}

void subtract_array(float* y, const float* a, const float* b, Index n) {
  map2<false>(y, a, b, n, [](V u, V v) MINNOW_LAMBDA { return hn::Sub(u, v); });
}

void multiply_array(float* y, const float* a, const float* b, Index n, bool accumulate) {
  const auto product = [](V u, V v) MINNOW_LAMBDA { return hn::Mul(u, v); };
  if (accumulate) {
    map2<true>(y, a, b, n, product);
  } else {
    map2<false>(y, a, b, n, product);
  }
}

void scaled_array(float* y, float factor, const float* x, Index n, bool accumulate) {
  const V f = set(factor);
  const auto scaled = [&](V v) MINNOW_LAMBDA { return hn::Mul(f, v); };
  if (accumulate) {
    map1<true>(y, x, n, scaled);
  } else {
    map1<false>(y, x, n, scaled);
  }
}

// The bits of the bf16 nearest to each float, in the upper half of each lane: add 0x7fff and the last kept bit.
HWY_INLINE hn::Vec<DU> bf16_upper(V x) {
  const DU du;
  const auto bits = hn::BitCast(du, x);
  const auto last = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  const auto rounded = hn::Add(bits, hn::Add(last, hn::Set(du, 0x7fff)));
  const auto quiet = hn::Or(bits, hn::Set(du, 0x400000));  // a NaN must neither become infinite nor carry over
  const auto nan = hn::RebindMask(du, hn::IsNaN(x));
  return hn::And(hn::IfThenElse(nan, quiet, rounded), hn::Set(du, 0xffff0000U));
}

void bf16_from_array(std::uint16_t* y, const float* x, Index n) {
  const hn::Rebind<std::uint16_t, D> half;
  const DI di;
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    const auto upper = hn::ShiftRight<16>(bf16_upper(load(x + i, count)));
    if (count == kLanes) {
      hn::StoreU(hn::DemoteTo(half, hn::BitCast(di, upper)), half, y + i);
      return;
    }
    HWY_ALIGN std::uint32_t buffer[kParts] = {};
    hn::Store(upper, DU(), buffer);
    for (Index k = 0; k < count; ++k) y[i + k] = static_cast<std::uint16_t>(buffer[k]);
  });
}

void bf16_to_array(float* y, const std::uint16_t* x, Index n) {
  const hn::Rebind<std::uint16_t, D> half;
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const auto wide = hn::PromoteTo(DU(), hn::LoadU(half, x + i));
    hn::StoreU(hn::BitCast(D(), hn::ShiftLeft<16>(wide)), D(), y + i);
  }
  for (; i < n; ++i) y[i] = f32_from_bf16(x[i]);
}

void round_bf16_array(float* y, const float* x, Index n) {
  map1<false>(y, x, n, [](V v) MINNOW_LAMBDA { return hn::BitCast(D(), bf16_upper(v)); });
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace minnow::kernels {

HWY_EXPORT(fill_array);
HWY_EXPORT(add_array);
HWY_EXPORT(subtract_array);
HWY_EXPORT(multiply_array);
HWY_EXPORT(scaled_array);
HWY_EXPORT(bf16_from_array);
HWY_EXPORT(bf16_to_array);
HWY_EXPORT(round_bf16_array);

namespace {

// One chunk on the calling thread: vector code for f32, the plain loop (the reference) for f64.
struct Serial {
  static void fill(float* y, float value, Index n) { HWY_DYNAMIC_DISPATCH(fill_array)(y, value, n); }
  static void add(float* y, const float* a, const float* b, Index n) { HWY_DYNAMIC_DISPATCH(add_array)(y, a, b, n); }
  static void subtract(float* y, const float* a, const float* b, Index n) {
    HWY_DYNAMIC_DISPATCH(subtract_array)(y, a, b, n);
  }
  static void multiply(float* y, const float* a, const float* b, Index n, bool accumulate) {
    HWY_DYNAMIC_DISPATCH(multiply_array)(y, a, b, n, accumulate);
  }
  static void scaled(float* y, float factor, const float* x, Index n, bool accumulate) {
    HWY_DYNAMIC_DISPATCH(scaled_array)(y, factor, x, n, accumulate);
  }
  static void fill(double* y, double value, Index n) { std::fill(y, y + n, value); }
  static void add(double* y, const double* a, const double* b, Index n) {
    for (Index i = 0; i < n; ++i) y[i] = a[i] + b[i];
  }
  static void subtract(double* y, const double* a, const double* b, Index n) {
    for (Index i = 0; i < n; ++i) y[i] = a[i] - b[i];
  }
  static void multiply(double* y, const double* a, const double* b, Index n, bool accumulate) {
    for (Index i = 0; i < n; ++i) y[i] = accumulate ? y[i] + a[i] * b[i] : a[i] * b[i];
  }
  static void scaled(double* y, double factor, const double* x, Index n, bool accumulate) {
    for (Index i = 0; i < n; ++i) y[i] = accumulate ? y[i] + factor * x[i] : factor * x[i];
  }
};

// body(first element, elements) per chunk.
template <class Body>
void for_chunks(Index n, Body&& body) {
  parallel_ranges(n, kElementChunk, [&](Index begin, Index end, Index) { body(begin, end - begin); });
}

}  // namespace

template <class T>
void fill(T* y, T value, Index n) {
  for_chunks(n, [=](Index at, Index count) { Serial::fill(y + at, value, count); });
}

template <class T>
void copy(T* y, const T* x, Index n) {
  for_chunks(n, [=](Index at, Index count) {
    std::memmove(y + at, x + at, static_cast<size_t>(count) * sizeof(T));  // y may be x
  });
}

template <class T>
void add(T* y, const T* a, const T* b, Index n) {
  for_chunks(n, [=](Index at, Index count) { Serial::add(y + at, a + at, b + at, count); });
}

template <class T>
void subtract(T* y, const T* a, const T* b, Index n) {
  for_chunks(n, [=](Index at, Index count) { Serial::subtract(y + at, a + at, b + at, count); });
}

template <class T>
void multiply(T* y, const T* a, const T* b, Index n, bool accumulate) {
  for_chunks(n, [=](Index at, Index count) { Serial::multiply(y + at, a + at, b + at, count, accumulate); });
}

template <class T>
void axpy(T* y, T factor, const T* x, Index n) {
  for_chunks(n, [=](Index at, Index count) { Serial::scaled(y + at, factor, x + at, count, true); });
}

template <class T>
void scaled_copy(T* y, T factor, const T* x, Index n) {
  for_chunks(n, [=](Index at, Index count) { Serial::scaled(y + at, factor, x + at, count, false); });
}

template <class T>
void add_bias(T* y, const T* x, const T* bias, Index rows, Index n) {
  parallel_ranges(rows, rows_per_chunk(n), [=](Index begin, Index end, Index) {
    for (Index row = begin; row < end; ++row) Serial::add(y + row * n, x + row * n, bias, n);
  });
}

void convert_f32_to_bf16(std::uint16_t* y, const float* x, Index n) {
  for_chunks(n, [=](Index at, Index count) { HWY_DYNAMIC_DISPATCH(bf16_from_array)(y + at, x + at, count); });
}

void convert_bf16_to_f32(float* y, const std::uint16_t* x, Index n) {
  for_chunks(n, [=](Index at, Index count) { HWY_DYNAMIC_DISPATCH(bf16_to_array)(y + at, x + at, count); });
}

void round_to_bf16(float* y, const float* x, Index n) {
  for_chunks(n, [=](Index at, Index count) { HWY_DYNAMIC_DISPATCH(round_bf16_array)(y + at, x + at, count); });
}

void convert_f32_to_bf16_serial(std::uint16_t* y, const float* x, Index n) {
  HWY_DYNAMIC_DISPATCH(bf16_from_array)(y, x, n);
}

void round_to_bf16_serial(float* y, const float* x, Index n) { HWY_DYNAMIC_DISPATCH(round_bf16_array)(y, x, n); }

#define MINNOW_INSTANTIATE(T)                                     \
  template void fill<T>(T*, T, Index);                            \
  template void copy<T>(T*, const T*, Index);                     \
  template void add<T>(T*, const T*, const T*, Index);            \
  template void subtract<T>(T*, const T*, const T*, Index);       \
  template void multiply<T>(T*, const T*, const T*, Index, bool); \
  template void axpy<T>(T*, T, const T*, Index);                  \
  template void scaled_copy<T>(T*, T, const T*, Index);           \
  template void add_bias<T>(T*, const T*, const T*, Index, Index);
MINNOW_INSTANTIATE(float)
MINNOW_INSTANTIATE(double)
#undef MINNOW_INSTANTIATE

}  // namespace minnow::kernels
#endif  // HWY_ONCE
