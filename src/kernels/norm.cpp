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
  return 1.0F / std::sqrt(static_cast<float>(std::max(variance, 0.0) + eps));
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

// Rows are taken in groups that stay in the first cache, pass by pass: the sums of one row are folded while the next
// row streams in. The group has no part in the result.
inline constexpr Index kGroup = 8;
HWY_INLINE Index group_size(Index n) { return std::clamp<Index>(1024 / n, 1, kGroup); }

struct RowStatistics {
  const float* s;
  float mean;   // rounded
  float error;  // the mean of the deviations from it, which are exact where that matters
  float rstd;
};

HWY_INLINE RowStatistics deviations(const RowSum& row, Index n, double count_inverse, double eps) {
  const float mean = static_cast<float>(row.total * count_inverse);
  const V mean_v = set(mean);
  Sums first;
  Sums second;
  for_vectors(n, [&](Index i, Index k, Index count) MINNOW_LAMBDA {
    const V d = hn::Sub(load(row.s + i, count, mean), mean_v);
    first.add(k, d);
    second.add_product(k, d, d);
  });
  const double error = first.total() * count_inverse;
  const float rstd = reciprocal_root(second.total() * count_inverse - error * error, eps);
  return {row.s, mean, static_cast<float>(error), rstd};
}

HWY_INLINE void normalise(const LayerNormForward<float>& a, Index row, const RowStatistics& stats) {
  const V mean = set(stats.mean);
  const V error = set(stats.error);
  const V rstd = set(stats.rstd);
  float* out = a.y + row * a.n;
  for_vectors(a.n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    V y = hn::Mul(hn::Sub(hn::Sub(load(stats.s + i, count), mean), error), rstd);
    const V bias = a.bias != nullptr ? load(a.bias + i, count) : hn::Zero(D());
    y = a.weight != nullptr ? hn::MulAdd(y, load(a.weight + i, count), bias) : hn::Add(y, bias);
    store(y, out + i, count);
  });
  if (a.mean != nullptr) a.mean[row] = stats.mean + stats.error;
  if (a.rstd != nullptr) a.rstd[row] = stats.rstd;
}

void layer_norm_rows(const LayerNormForward<float>& args, Index begin, Index end) {
  const auto a = args;  // a copy: no store can change it, so its pointers stay in registers
  const double count_inverse = 1.0 / static_cast<double>(a.n);
  const Index group = group_size(a.n);
  RowSum sums[kGroup];
  RowStatistics stats[kGroup];
  for (Index row = begin; row < end; row += group) {
    const Index rows = std::min(group, end - row);
    for (Index r = 0; r < rows; ++r) sums[r] = sum_row(a, (row + r) * a.n);
    for (Index r = 0; r < rows; ++r) stats[r] = deviations(sums[r], a.n, count_inverse, a.eps);
    for (Index r = 0; r < rows; ++r) normalise(a, row + r, stats[r]);
  }
}

// dx = value (+ dsum) (+ dx).
template <class Args>
HWY_INLINE void store_dx(const Args& a, Index at, Index count, V value) {
  if (a.dsum != nullptr) value = hn::Add(value, load(a.dsum + at, count));
  if (a.add_dx) value = hn::Add(load(a.dx + at, count), value);
  store(value, a.dx + at, count);
}

struct RowSlopes {
  float error;    // what rounding left of the mean: xhat = (x - mean - error) rstd
  float mean_g;   // mean of g = dout * weight
  float mean_gx;  // mean of g xhat
};

HWY_INLINE RowSlopes slope_sums(const LayerNormBackward<float>& a, Index row, float count_inverse) {
  const Index at = row * a.n;
  const float mean = a.mean[row];
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
  const float error = sum_d.total() * count_inverse;
  const float total_g = sum_g.total();
  return {error, total_g * count_inverse, (sum_gd.total() - error * total_g) * a.rstd[row] * count_inverse};
}

HWY_INLINE void slope_row(const LayerNormBackward<float>& a, Index row, const RowSlopes& sums, float* dweight,
                          float* dbias) {
  const Index at = row * a.n;
  const V mean = set(a.mean[row]);
  const V error = set(sums.error);
  const V rstd = set(a.rstd[row]);
  const V mean_g = set(sums.mean_g);
  const V mean_gx = set(sums.mean_gx);
  for_vectors(a.n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    const V d = load(a.dout + at + i, count);
    const V xhat = hn::Mul(hn::Sub(hn::Sub(load(a.x + at + i, count), mean), error), rstd);
    if (dweight != nullptr) store(hn::MulAdd(d, xhat, load(dweight + i, count)), dweight + i, count);
    if (dbias != nullptr) store(hn::Add(d, load(dbias + i, count)), dbias + i, count);
    if (a.dx == nullptr) return;
    const V g = a.weight != nullptr ? hn::Mul(d, load(a.weight + i, count)) : d;
    const V centred = hn::NegMulAdd(xhat, mean_gx, hn::Sub(g, mean_g));
    store_dx(a, at + i, count, hn::Mul(rstd, centred));
  });
}

void layer_norm_slope_rows(const LayerNormBackward<float>& args, Index begin, Index end, float* dweight, float* dbias) {
  const auto a = args;
  const float count_inverse = static_cast<float>(1.0 / static_cast<double>(a.n));
  const Index group = group_size(a.n);
  RowSlopes sums[kGroup];
  for (Index row = begin; row < end; row += group) {
    const Index rows = std::min(group, end - row);
    for (Index r = 0; r < rows; ++r) sums[r] = slope_sums(a, row + r, count_inverse);
    for (Index r = 0; r < rows; ++r) slope_row(a, row + r, sums[r], dweight, dbias);
  }
}

void rms_norm_rows(const RmsNormForward<float>& args, Index begin, Index end) {
  const auto a = args;  // a copy: no store can change it, so its pointers stay in registers
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

void rms_norm_slope_rows(const RmsNormBackward<float>& args, Index begin, Index end, float* dweight) {
  const auto a = args;  // a copy: no store can change it, so its pointers stay in registers
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
