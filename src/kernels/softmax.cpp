#include "minnow/kernels/softmax.hpp"

#include <cmath>

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax.cpp"
#include "hwy/foreach_target.h"
#include "kernels/simd_math.hpp"
// clang-format on
#include "kernels/reference/softmax.hpp"
#include "kernels/row_chunks.hpp"
#include "minnow/kernels/vector_math.hpp"

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

HWY_INLINE void put(float* p, Index count, V value, bool add) {
  store(add ? hn::Add(load(p, count), value) : value, p, count);
}

void softmax_slope_row(float* dx, const float* y, const float* dout, Index n, bool add) {
  Sums dot;
  for_vectors(n, [&](Index i, Index k, Index count)
                     MINNOW_LAMBDA { dot.add_product(k, load(y + i, count), load(dout + i, count)); });
  const V total = set(dot.total());
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    put(dx + i, count, hn::Mul(load(y + i, count), hn::Sub(load(dout + i, count), total)), add);
  });
}

void log_softmax_row(float* y, const float* x, Index n) {
  const float top = row_max(x, n);
  if (top == -__builtin_inff()) {
    map1<false>(y, x, n, [&](V) MINNOW_LAMBDA { return set(top); });
    return;
  }
  const V top_v = set(top);
  const V log_sum = set(std::log(exp_sum<false>(nullptr, x, top, n)));
  map1<false>(y, x, n, [&](V v) MINNOW_LAMBDA { return hn::Sub(hn::Sub(v, top_v), log_sum); });
}

void log_softmax_slope_row(float* dx, const float* y, const float* dout, Index n, bool add) {
  Sums sums;
  for_vectors(n, [&](Index i, Index k, Index count) MINNOW_LAMBDA { sums.add(k, load(dout + i, count)); });
  const V total = set(sums.total());
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    put(dx + i, count, hn::NegMulAdd(exp_flush(load(y + i, count)), total, load(dout + i, count)), add);
  });
}

float logsumexp_row(const float* x, Index n) {
  const float top = row_max(x, n);
  if (top == -__builtin_inff()) return top;
  return top + std::log(exp_sum<false>(nullptr, x, top, n));
}

void logsumexp_slope_row(float* dx, const float* x, float lse, float dlse, Index n, bool add) {
  const bool dead = lse == -__builtin_inff();
  const V lse_v = set(lse);
  const V dlse_v = set(dlse);
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    const V value = hn::Mul(dlse_v, exp_full(hn::Sub(load(x + i, count), lse_v)));
    put(dx + i, count, dead ? hn::Zero(D()) : value, add);
  });
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace minnow::kernels {

HWY_EXPORT(softmax_slope_row);
HWY_EXPORT(log_softmax_row);
HWY_EXPORT(log_softmax_slope_row);
HWY_EXPORT(logsumexp_row);
HWY_EXPORT(logsumexp_slope_row);

namespace {

template <class Body>
void for_rows(Index rows, Index n, Body&& body) {
  parallel_ranges(rows, rows_per_chunk(n), [&](Index begin, Index end, Index) {
    for (Index row = begin; row < end; ++row) body(row, row * n);
  });
}

}  // namespace

template <class T>
void softmax_forward(T* y, const T* x, Index rows, Index n) {
  for_rows(rows, n, [=](Index, Index at) { softmax_row(y + at, x + at, n); });
}

template <>
void softmax_backward<float>(float* dx, const float* y, const float* dout, Index rows, Index n, bool add) {
  for_rows(rows, n, [=](Index, Index at) {
    HWY_DYNAMIC_DISPATCH(softmax_slope_row)(dx + at, y + at, dout + at, n, add);
  });
}
template <>
void softmax_backward<double>(double* dx, const double* y, const double* dout, Index rows, Index n, bool add) {
  for_rows(rows, n, [=](Index, Index at) { reference::softmax_backward_row(dx + at, y + at, dout + at, n, add); });
}

template <>
void log_softmax_forward<float>(float* y, const float* x, Index rows, Index n) {
  for_rows(rows, n, [=](Index, Index at) { HWY_DYNAMIC_DISPATCH(log_softmax_row)(y + at, x + at, n); });
}
template <>
void log_softmax_forward<double>(double* y, const double* x, Index rows, Index n) {
  for_rows(rows, n, [=](Index, Index at) { reference::log_softmax_row(y + at, x + at, n); });
}

template <>
void log_softmax_backward<float>(float* dx, const float* y, const float* dout, Index rows, Index n, bool add) {
  for_rows(rows, n, [=](Index, Index at) {
    HWY_DYNAMIC_DISPATCH(log_softmax_slope_row)(dx + at, y + at, dout + at, n, add);
  });
}
template <>
void log_softmax_backward<double>(double* dx, const double* y, const double* dout, Index rows, Index n, bool add) {
  for_rows(rows, n, [=](Index, Index at) { reference::log_softmax_backward_row(dx + at, y + at, dout + at, n, add); });
}

template <>
void logsumexp_forward<float>(float* lse, const float* x, Index rows, Index n) {
  for_rows(rows, n, [=](Index row, Index at) { lse[row] = HWY_DYNAMIC_DISPATCH(logsumexp_row)(x + at, n); });
}
template <>
void logsumexp_forward<double>(double* lse, const double* x, Index rows, Index n) {
  for_rows(rows, n, [=](Index row, Index at) { lse[row] = reference::logsumexp_row(x + at, n); });
}

template <>
void logsumexp_backward<float>(float* dx, const float* x, const float* lse, const float* dlse, Index rows, Index n,
                               bool add) {
  for_rows(rows, n, [=](Index row, Index at) {
    HWY_DYNAMIC_DISPATCH(logsumexp_slope_row)(dx + at, x + at, lse[row], dlse[row], n, add);
  });
}
template <>
void logsumexp_backward<double>(double* dx, const double* x, const double* lse, const double* dlse, Index rows, Index n,
                                bool add) {
  for_rows(rows, n, [=](Index row, Index at) {
    reference::logsumexp_backward_row(dx + at, x + at, lse[row], dlse[row], n, add);
  });
}

template void softmax_forward<float>(float*, const float*, Index, Index);
template void softmax_forward<double>(double*, const double*, Index, Index);

}  // namespace minnow::kernels
#endif  // HWY_ONCE
