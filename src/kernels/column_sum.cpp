#include "kernels/column_sum.hpp"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/column_sum.cpp"  // NOLINT(bugprone-suspicious-include)
#include "hwy/foreach_target.h"
#include "kernels/simd.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

void add_rows_f32(float* y, const float* x, Index rows, Index stride, Index n) {
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    V sum = load(x + i, count);
    for (Index row = 1; row < rows; ++row) sum = hn::Add(sum, load(x + row * stride + i, count));
    store(hn::Add(load(y + i, count), sum), y + i, count);
  });
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace minnow::kernels {

HWY_EXPORT(add_rows_f32);

namespace {

// Rows added among themselves first: the error of a sum grows with these and with the number of such blocks.
constexpr Index kBlockRows = 32;

/// y[j] += x[0, j] + x[1, j] + ... over `rows` > 0 rows.
void add_rows(float* y, const float* x, Index rows, Index stride, Index n) {
  HWY_DYNAMIC_DISPATCH(add_rows_f32)(y, x, rows, stride, n);
}
void add_rows(double* y, const double* x, Index rows, Index stride, Index n) {
  for (Index i = 0; i < n; ++i) {
    double sum = x[i];
    for (Index row = 1; row < rows; ++row) sum += x[row * stride + i];
    y[i] += sum;
  }
}

template <class T>
void sum_strip(const ColumnSum<T>& s, Index strip) {
  const Index begin = strip * kStripColumns;
  const Index n = std::min(kStripColumns, s.n - begin);
  T* y = s.y + begin;
  T sums[kStripColumns] = {};
  for (Index row = 0; row < s.rows; row += kBlockRows) {
    add_rows(sums, s.x + row * s.n + begin, std::min(kBlockRows, s.rows - row), s.n, n);
  }
  for (Index i = 0; i < n; ++i) y[i] = s.add ? y[i] + s.factor * sums[i] : s.factor * sums[i];
}

}  // namespace

void sum_column_strip(const ColumnSum<float>& sum, Index strip) { sum_strip(sum, strip); }
void sum_column_strip(const ColumnSum<double>& sum, Index strip) { sum_strip(sum, strip); }

template <class T>
void sum_columns(const ColumnSum<T>& sum) {
  parallel_chunks(column_strips(sum.n), [&](Index strip) { sum_column_strip(sum, strip); });
}

template void sum_columns<float>(const ColumnSum<float>&);
template void sum_columns<double>(const ColumnSum<double>&);

}  // namespace minnow::kernels
#endif  // HWY_ONCE
