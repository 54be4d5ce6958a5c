#include "minnow/kernels/norm.hpp"

#include <cmath>

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/norm.cpp"
#include "hwy/foreach_target.h"
#include "kernels/simd.hpp"
// clang-format on
#include "kernels/reference/norm.hpp"
#include "kernels/row_chunks.hpp"

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

HWY_INLINE float reciprocal_root(double variance, double eps) {
  return static_cast<float>(1.0 / std::sqrt(std::max(variance, 0.0) + eps));
}

// Writes x + residual when there is a residual; returns the row that is to be normalised and its sum.
struct RowSum {
  const float* s;
  float total;
};
HWY_INLINE RowSum sum_row(const LayerNormForward<float>& a, Index at) {
  Sums sums;
  if (a.residual == nullptr) {
    for_vectors(a.n, [&](Index i, Index k, Index count) MINNOW_LAMBDA { sums.add(k, load(a.x + at + i, count)); });
    return {a.x + at, sums.total()};
  }
  for_vectors(a.n, [&](Index i, Index k, Index count) MINNOW_LAMBDA {
    const V s = hn::Add(load(a.x + at + i, count), load(a.residual + at + i, count));
    store(s, a.sum + at + i, count);
    sums.add(k, s);
  });
  return {a.sum + at, sums.total()};
}

void layer_norm_rows(const LayerNormForward<float>& a, Index begin, Index end) {
  const double count_inverse = 1.0 / static_cast<double>(a.n);
  for (Index row = begin; row < end; ++row) {
    const Index at = row * a.n;
    const auto [s, total] = sum_row(a, at);
    const float mean = static_cast<float>(total * count_inverse);
    const V mean_v = set(mean);
    Sums first;
    Sums second;
    for_vectors(a.n, [&](Index i, Index k, Index count) MINNOW_LAMBDA {
      const V d = hn::Sub(load(s + i, count, mean), mean_v);
      first.add(k, d);
      second.add_product(k, d, d);
    });
    // `mean` is rounded; the deviations from it are exact where that matters, and their mean is the error.
    const double error = first.total() * count_inverse;
    const float rstd = reciprocal_root(second.total() * count_inverse - error * error, a.eps);
    const V error_v = set(static_cast<float>(error));
    const V rstd_v = set(rstd);
    for_vectors(a.n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
      V y = hn::Mul(hn::Sub(hn::Sub(load(s + i, count), mean_v), error_v), rstd_v);
      const V bias = a.bias != nullptr ? load(a.bias + i, count) : hn::Zero(D());
      y = a.weight != nullptr ? hn::MulAdd(y, load(a.weight + i, count), bias) : hn::Add(y, bias);
      store(y, a.y + at + i, count);
    });
    if (a.mean != nullptr) a.mean[row] = static_cast<float>(mean + error);
    if (a.rstd != nullptr) a.rstd[row] = rstd;
  }
}

// dx = value (+ dsum) (+ dx).
template <class Args>
HWY_INLINE void store_dx(const Args& a, Index at, Index count, V value) {
  if (a.dsum != nullptr) value = hn::Add(value, load(a.dsum + at, count));
  if (a.add_dx) value = hn::Add(load(a.dx + at, count), value);
  store(value, a.dx + at, count);
}

void layer_norm_slope_rows(const LayerNormBackward<float>& a, Index begin, Index end, float* dweight, float* dbias) {
  const float count_inverse = static_cast<float>(1.0 / static_cast<double>(a.n));
  for (Index row = begin; row < end; ++row) {
    const Index at = row * a.n;
    const float mean = a.mean[row];
    const float rstd = a.rstd[row];
    const V mean_v = set(mean);
    Sums sum_d;
    Sums sum_g;
    Sums sum_gd;
    for_vectors(a.n, [&](Index i, Index k, Index count) MINNOW_LAMBDA {
      const V d = hn::Sub(load(a.x + at + i, count, mean), mean_v);
      V g = load(a.dout + at + i, count);
      if (a.weight != nullptr) g = hn::Mul(g, load(a.weight + i, count));
      sum_d.add(k, d);
      sum_g.add(k, g);
      sum_gd.add_product(k, g, d);
    });
    // xhat = (d - error) rstd, error = what rounding left of the mean.
    const float error = sum_d.total() * count_inverse;
    const float total_g = sum_g.total();
    const float mean_g = total_g * count_inverse;
    const float mean_gx = (sum_gd.total() - error * total_g) * rstd * count_inverse;
    const V error_v = set(error);
    const V rstd_v = set(rstd);
    const V mean_g_v = set(mean_g);
    const V mean_gx_v = set(mean_gx);
    for_vectors(a.n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
      const V d = load(a.dout + at + i, count);
      const V xhat = hn::Mul(hn::Sub(hn::Sub(load(a.x + at + i, count), mean_v), error_v), rstd_v);
      if (dweight != nullptr) store(hn::MulAdd(d, xhat, load(dweight + i, count)), dweight + i, count);
      if (dbias != nullptr) store(hn::Add(d, load(dbias + i, count)), dbias + i, count);
      if (a.dx == nullptr) return;
      const V g = a.weight != nullptr ? hn::Mul(d, load(a.weight + i, count)) : d;
      const V centred = hn::NegMulAdd(xhat, mean_gx_v, hn::Sub(g, mean_g_v));
      store_dx(a, at + i, count, hn::Mul(rstd_v, centred));
    });
  }
}

void rms_norm_rows(const RmsNormForward<float>& a, Index begin, Index end) {
  const double count_inverse = 1.0 / static_cast<double>(a.n);
  for (Index row = begin; row < end; ++row) {
    const Index at = row * a.n;
    const float* s = a.x + at;
    Sums squares;
    if (a.residual != nullptr) {
      s = a.sum + at;
      for_vectors(a.n, [&](Index i, Index k, Index count) MINNOW_LAMBDA {
        const V v = hn::Add(load(a.x + at + i, count), load(a.residual + at + i, count));
        store(v, a.sum + at + i, count);
        squares.add_product(k, v, v);
      });
    } else {
      for_vectors(a.n, [&](Index i, Index k, Index count) MINNOW_LAMBDA {
        const V v = load(s + i, count);
        squares.add_product(k, v, v);
      });
    }
    const float rstd = reciprocal_root(squares.total() * count_inverse, a.eps);
    const V rstd_v = set(rstd);
    for_vectors(a.n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
      V y = hn::Mul(load(s + i, count), rstd_v);
      if (a.weight != nullptr) y = hn::Mul(y, load(a.weight + i, count));
      store(y, a.y + at + i, count);
    });
    if (a.rstd != nullptr) a.rstd[row] = rstd;
  }
}

void rms_norm_slope_rows(const RmsNormBackward<float>& a, Index begin, Index end, float* dweight) {
  const float count_inverse = static_cast<float>(1.0 / static_cast<double>(a.n));
  for (Index row = begin; row < end; ++row) {
    const Index at = row * a.n;
    const float rstd = a.rstd[row];
    const V rstd_v = set(rstd);
    Sums sum_gx;
    for_vectors(a.n, [&](Index i, Index k, Index count) MINNOW_LAMBDA {
      V g = load(a.dout + at + i, count);
      if (a.weight != nullptr) g = hn::Mul(g, load(a.weight + i, count));
      sum_gx.add_product(k, g, hn::Mul(load(a.x + at + i, count), rstd_v));
    });
    const V mean_gx = set(sum_gx.total() * count_inverse);
    for_vectors(a.n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
      const V d = load(a.dout + at + i, count);
      const V xhat = hn::Mul(load(a.x + at + i, count), rstd_v);
      if (dweight != nullptr) store(hn::MulAdd(d, xhat, load(dweight + i, count)), dweight + i, count);
      if (a.dx == nullptr) return;
      const V g = a.weight != nullptr ? hn::Mul(d, load(a.weight + i, count)) : d;
      store_dx(a, at + i, count, hn::Mul(rstd_v, hn::NegMulAdd(xhat, mean_gx, g)));
    });
  }
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace minnow::kernels {

HWY_EXPORT(layer_norm_rows);
HWY_EXPORT(layer_norm_slope_rows);
HWY_EXPORT(rms_norm_rows);
HWY_EXPORT(rms_norm_slope_rows);

namespace {

void forward_rows(const LayerNormForward<float>& a, Index begin, Index end) {
  HWY_DYNAMIC_DISPATCH(layer_norm_rows)(a, begin, end);
}
void forward_rows(const LayerNormForward<double>& a, Index begin, Index end) {
  reference::layer_norm_forward_rows(a, begin, end);
}
void forward_rows(const RmsNormForward<float>& a, Index begin, Index end) {
  HWY_DYNAMIC_DISPATCH(rms_norm_rows)(a, begin, end);
}
void forward_rows(const RmsNormForward<double>& a, Index begin, Index end) {
  reference::rms_norm_forward_rows(a, begin, end);
}
void backward_rows(const LayerNormBackward<float>& a, Index begin, Index end, float* dweight, float* dbias) {
  HWY_DYNAMIC_DISPATCH(layer_norm_slope_rows)(a, begin, end, dweight, dbias);
}
void backward_rows(const LayerNormBackward<double>& a, Index begin, Index end, double* dweight, double* dbias) {
  reference::layer_norm_backward_rows(a, begin, end, dweight, dbias);
}
void backward_rows(const RmsNormBackward<float>& a, Index begin, Index end, float* dweight) {
  HWY_DYNAMIC_DISPATCH(rms_norm_slope_rows)(a, begin, end, dweight);
}
void backward_rows(const RmsNormBackward<double>& a, Index begin, Index end, double* dweight) {
  reference::rms_norm_backward_rows(a, begin, end, dweight);
}

}  // namespace

template <class T>
void layer_norm_forward(const LayerNormForward<T>& args) {
  parallel_ranges(args.rows, rows_per_chunk(args.n),
                  [&](Index begin, Index end, Index) { forward_rows(args, begin, end); });
}

template <class T>
void rms_norm_forward(const RmsNormForward<T>& args) {
  parallel_ranges(args.rows, rows_per_chunk(args.n),
                  [&](Index begin, Index end, Index) { forward_rows(args, begin, end); });
}

Index layer_norm_backward_scratch_size(Index rows, Index n) { return 2 * n * slots_of(rows, n); }

Index rms_norm_backward_scratch_size(Index rows, Index n) { return n * slots_of(rows, n); }

template <class T>
void layer_norm_backward(const LayerNormBackward<T>& args) {
  const Index n = args.n;
  parallel_ranges(args.rows, rows_per_slot(args.rows, n), [&](Index begin, Index end, Index slot) {
    T* dweight = args.dweight != nullptr ? args.scratch + 2 * n * slot : nullptr;
    T* dbias = args.dbias != nullptr ? args.scratch + 2 * n * slot + n : nullptr;
    if (dweight != nullptr) std::fill(dweight, dweight + n, T(0));
    if (dbias != nullptr) std::fill(dbias, dbias + n, T(0));
    backward_rows(args, begin, end, dweight, dbias);
  });
  const Index slots = slots_of(args.rows, n);
  if (args.dweight != nullptr) fold_slots(args.dweight, args.scratch, slots, 2 * n, n, args.add_params);
  if (args.dbias != nullptr) fold_slots(args.dbias, args.scratch + n, slots, 2 * n, n, args.add_params);
}

template <class T>
void rms_norm_backward(const RmsNormBackward<T>& args) {
  const Index n = args.n;
  parallel_ranges(args.rows, rows_per_slot(args.rows, n), [&](Index begin, Index end, Index slot) {
    T* dweight = args.dweight != nullptr ? args.scratch + n * slot : nullptr;
    if (dweight != nullptr) std::fill(dweight, dweight + n, T(0));
    backward_rows(args, begin, end, dweight);
  });
  if (args.dweight != nullptr) {
    fold_slots(args.dweight, args.scratch, slots_of(args.rows, n), n, n, args.add_params);
  }
}

template void layer_norm_forward<float>(const LayerNormForward<float>&);
template void layer_norm_forward<double>(const LayerNormForward<double>&);
template void layer_norm_backward<float>(const LayerNormBackward<float>&);
template void layer_norm_backward<double>(const LayerNormBackward<double>&);
template void rms_norm_forward<float>(const RmsNormForward<float>&);
template void rms_norm_forward<double>(const RmsNormForward<double>&);
template void rms_norm_backward<float>(const RmsNormBackward<float>&);
template void rms_norm_backward<double>(const RmsNormBackward<double>&);

}  // namespace minnow::kernels
#endif  // HWY_ONCE
