#include "minnow/kernels/optimizer.hpp"

#include <cmath>

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/optimizer.cpp"
#include "hwy/foreach_target.h"
#include "kernels/simd.hpp"
// clang-format on
#include "kernels/reference/optimizer.hpp"
#include "minnow/kernels/elementwise.hpp"

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

// Sums in f64 over 16 partial sums: element i goes to number i % 16 on every instruction set.
#if HWY_TARGET == HWY_SCALAR
template <class F>
HWY_INLINE double sum_wide(Index n, F&& term) {
  double part[kParts] = {};
  for (Index i = 0; i < n; ++i) part[i % kParts] += term(i);
  for (Index half = kParts / 2; half > 0; half /= 2) {
    for (Index i = 0; i < half; ++i) part[i] += part[i + half];
  }
  return part[0];
}

double dot_array(const float* a, const float* b, Index n) {
  return sum_wide(n, [=](Index i) { return static_cast<double>(a[i]) * static_cast<double>(b[i]); });
}

double sum_array(const float* x, Index n) {
  return sum_wide(n, [=](Index i) { return static_cast<double>(x[i]); });
}
#else
using DD = hn::CappedTag<double, 8>;
using DHalf = hn::Rebind<float, DD>;
inline constexpr Index kWideLanes = static_cast<Index>(hn::MaxLanes(DD()));
inline constexpr Index kWideVecs = kParts / kWideLanes;

HWY_INLINE hn::Vec<DD> load_wide(const float* p) { return hn::PromoteTo(DD(), hn::LoadU(DHalf(), p)); }

// @param term(i) gives the terms of elements i .. i + kWideLanes - 1, tail(i) that of one element
template <class F, class G>
HWY_INLINE double sum_wide(Index n, F&& term, G&& tail) {
  hn::Vec<DD> part[kWideVecs];
  for (auto& p : part) p = hn::Zero(DD());
  Index i = 0;
  for (; i + kParts <= n; i += kParts) {
    for (Index k = 0; k < kWideVecs; ++k) part[k] = hn::Add(part[k], term(i + k * kWideLanes));
  }
  HWY_ALIGN double buffer[kParts];
  for (Index k = 0; k < kWideVecs; ++k) hn::Store(part[k], DD(), buffer + k * kWideLanes);
  for (Index k = 0; i < n; ++i, ++k) buffer[k] += tail(i);
  for (Index half = kParts / 2; half > 0; half /= 2) {
    for (Index k = 0; k < half; ++k) buffer[k] += buffer[k + half];
  }
  return buffer[0];
}

double dot_array(const float* a, const float* b, Index n) {
  // The product of two floats is exact in f64, so that fused multiply-add would change nothing.
  return sum_wide(
      n, [=](Index i) MINNOW_LAMBDA { return hn::Mul(load_wide(a + i), load_wide(b + i)); },
      [=](Index i) MINNOW_LAMBDA { return static_cast<double>(a[i]) * static_cast<double>(b[i]); });
}

double sum_array(const float* x, Index n) {
  return sum_wide(
      n, [=](Index i) MINNOW_LAMBDA { return load_wide(x + i); },
      [=](Index i) MINNOW_LAMBDA { return static_cast<double>(x[i]); });
}
#endif

float max_abs_array(const float* x, Index n) {
  return largest(x, n, 0.0F, [](V v) MINNOW_LAMBDA { return hn::Abs(v); });
}

// True when all of x[0..n) are finite. |x| * 0 is 0 for them and NaN for the others.
bool all_finite_array(const float* x, Index n) {
  V sum = hn::Zero(D());
  for_vectors(n, [&](Index i, Index, Index count)
                     MINNOW_LAMBDA { sum = hn::Add(sum, hn::Mul(load(x + i, count), hn::Zero(D()))); });
  return hn::AllTrue(D(), hn::Eq(sum, hn::Zero(D())));
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace minnow::kernels {

HWY_EXPORT(dot_array);
HWY_EXPORT(sum_array);
HWY_EXPORT(max_abs_array);
HWY_EXPORT(all_finite_array);

namespace {

// One chunk on the calling thread.
struct Serial {
  static double dot(const float* a, const float* b, Index n) { return HWY_DYNAMIC_DISPATCH(dot_array)(a, b, n); }
  static double dot(const double* a, const double* b, Index n) { return reference::sum_of_products(a, b, n); }
  static double sum(const float* x, Index n) { return HWY_DYNAMIC_DISPATCH(sum_array)(x, n); }
  static double sum(const double* x, Index n) { return reference::sum(x, n); }
  static float max_abs(const float* x, Index n) { return HWY_DYNAMIC_DISPATCH(max_abs_array)(x, n); }
  static double max_abs(const double* x, Index n) { return reference::max_abs(x, n); }
  static NonFinite count_non_finite(const float* x, Index n) {
    if (HWY_DYNAMIC_DISPATCH(all_finite_array)(x, n)) return {};
    return reference::count_non_finite(x, n);
  }
  static NonFinite count_non_finite(const double* x, Index n) { return reference::count_non_finite(x, n); }
};

// slot[chunk] = term(first element, elements).
template <class Slot, class Term>
void fill_slots(Index n, Slot* slots, Term&& term) {
  parallel_ranges(n, kFlatChunk, [&](Index begin, Index end, Index chunk) { slots[chunk] = term(begin, end - begin); });
}

double add_slots(const double* slots, Index n) {
  double total = 0;
  for (Index chunk = 0; chunk < flat_chunks(n); ++chunk) total += slots[chunk];
  return total;
}

}  // namespace

template <class T>
double sum_of_squares(const T* x, Index n, double* scratch) {
  fill_slots(n, scratch, [=](Index at, Index count) { return Serial::dot(x + at, x + at, count); });
  return add_slots(scratch, n);
}

template <class T>
double sum(const T* x, Index n, double* scratch) {
  fill_slots(n, scratch, [=](Index at, Index count) { return Serial::sum(x + at, count); });
  return add_slots(scratch, n);
}

template <class T>
double dot(const T* a, const T* b, Index n, double* scratch) {
  fill_slots(n, scratch, [=](Index at, Index count) { return Serial::dot(a + at, b + at, count); });
  return add_slots(scratch, n);
}

template <class T>
T max_abs(const T* x, Index n, T* scratch) {
  fill_slots(n, scratch, [=](Index at, Index count) { return Serial::max_abs(x + at, count); });
  return reference::max_abs(scratch, flat_chunks(n));
}

template <class T>
NonFinite count_non_finite(const T* x, Index n, NonFinite* scratch) {
  fill_slots(n, scratch, [=](Index at, Index count) {
    NonFinite found = Serial::count_non_finite(x + at, count);
    if (found.count > 0) found.first += at;
    return found;
  });
  NonFinite total;
  for (Index chunk = 0; chunk < flat_chunks(n); ++chunk) {
    if (total.count == 0) total.first = scratch[chunk].first;
    total.count += scratch[chunk].count;
  }
  return total;
}

template <class T>
void scale(T* x, T factor, Index n) {
  scaled_copy(x, factor, x, n);
}

#define MINNOW_INSTANTIATE(T)                                          \
  template double sum_of_squares<T>(const T*, Index, double*);         \
  template double sum<T>(const T*, Index, double*);                    \
  template double dot<T>(const T*, const T*, Index, double*);          \
  template T max_abs<T>(const T*, Index, T*);                          \
  template NonFinite count_non_finite<T>(const T*, Index, NonFinite*); \
  template void scale<T>(T*, T, Index);
MINNOW_INSTANTIATE(float)
MINNOW_INSTANTIATE(double)
#undef MINNOW_INSTANTIATE

}  // namespace minnow::kernels
#endif  // HWY_ONCE
