#pragma once
/// @file
/// Plain form of norm.hpp for rows [begin, end): the specification of the vector code, and what f64 runs.

#include <cmath>

#include "minnow/kernels/norm.hpp"

namespace minnow::kernels::reference {

// s = x + residual where there is one; returns where the row to be normalised stands.
template <class Args, class T>
const T* add_residual_row(const Args& a, Index row, const T* x) {
  if (a.residual == nullptr) return x;
  for (Index i = 0; i < a.n; ++i) a.sum[row * a.n + i] = x[i] + a.residual[row * a.n + i];
  return a.sum + row * a.n;
}

template <class T>
void layer_norm_forward_rows(const LayerNormForward<T>& a, Index begin, Index end) {
  for (Index row = begin; row < end; ++row) {
    const T* s = add_residual_row(a, row, a.x + row * a.n);
    double total = 0;
    for (Index i = 0; i < a.n; ++i) total += s[i];
    const double mean = total / static_cast<double>(a.n);
    double squares = 0;
    for (Index i = 0; i < a.n; ++i) squares += (s[i] - mean) * (s[i] - mean);
    const double rstd = 1 / std::sqrt(squares / static_cast<double>(a.n) + a.eps);
    for (Index i = 0; i < a.n; ++i) {
      const double w = a.weight != nullptr ? a.weight[i] : T(1);
      const double b = a.bias != nullptr ? a.bias[i] : T(0);
      a.y[row * a.n + i] = static_cast<T>((s[i] - mean) * rstd * w + b);
    }
    if (a.mean != nullptr) a.mean[row] = static_cast<T>(mean);
    if (a.rstd != nullptr) a.rstd[row] = static_cast<T>(rstd);
  }
}

// Adds the rows' shares of dweight and dbias into `dweight` and `dbias` (n elements each, or null).
template <class T>
void layer_norm_backward_rows(const LayerNormBackward<T>& a, Index begin, Index end, T* dweight, T* dbias) {
  const auto weight = [&](Index i) { return static_cast<double>(a.weight != nullptr ? a.weight[i] : T(1)); };
  for (Index row = begin; row < end; ++row) {
    const T* x = a.x + row * a.n;
    const T* dout = a.dout + row * a.n;
    const double mean = a.mean[row];
    const double rstd = a.rstd[row];
    const double count = static_cast<double>(a.n);
    double offset = 0;  // what rounding left of the mean
    for (Index i = 0; i < a.n; ++i) offset += x[i] - mean;
    offset /= count;
    const auto xhat = [&](Index i) { return (x[i] - mean - offset) * rstd; };
    double sum_g = 0;
    double sum_gx = 0;
    for (Index i = 0; i < a.n; ++i) {
      sum_g += dout[i] * weight(i);
      sum_gx += dout[i] * weight(i) * xhat(i);
    }
    for (Index i = 0; i < a.n; ++i) {
      const double d = dout[i];
      if (dweight != nullptr) dweight[i] += static_cast<T>(d * xhat(i));
      if (dbias != nullptr) dbias[i] += static_cast<T>(d);
      if (a.dx == nullptr) continue;
      const Index at = row * a.n + i;
      double dx = rstd * (d * weight(i) - sum_g / count - xhat(i) * sum_gx / count);
      if (a.dsum != nullptr) dx += a.dsum[at];
      a.dx[at] = static_cast<T>(a.add_dx ? a.dx[at] + dx : dx);
    }
  }
}

template <class T>
void rms_norm_forward_rows(const RmsNormForward<T>& a, Index begin, Index end) {
  for (Index row = begin; row < end; ++row) {
    const T* s = add_residual_row(a, row, a.x + row * a.n);
    double squares = 0;
    for (Index i = 0; i < a.n; ++i) squares += static_cast<double>(s[i]) * s[i];
    const double rstd = 1 / std::sqrt(squares / static_cast<double>(a.n) + a.eps);
    for (Index i = 0; i < a.n; ++i) {
      a.y[row * a.n + i] = static_cast<T>(s[i] * rstd * (a.weight != nullptr ? a.weight[i] : T(1)));
    }
    if (a.rstd != nullptr) a.rstd[row] = static_cast<T>(rstd);
  }
}

template <class T>
void rms_norm_backward_rows(const RmsNormBackward<T>& a, Index begin, Index end, T* dweight) {
  const auto weight = [&](Index i) { return static_cast<double>(a.weight != nullptr ? a.weight[i] : T(1)); };
  for (Index row = begin; row < end; ++row) {
    const T* x = a.x + row * a.n;
    const T* dout = a.dout + row * a.n;
    const double rstd = a.rstd[row];
    double sum_gx = 0;
    for (Index i = 0; i < a.n; ++i) sum_gx += dout[i] * weight(i) * (x[i] * rstd);
    for (Index i = 0; i < a.n; ++i) {
      const double d = dout[i];
      const double xhat = x[i] * rstd;
      if (dweight != nullptr) dweight[i] += static_cast<T>(d * xhat);
      if (a.dx == nullptr) continue;
      const Index at = row * a.n + i;
      double dx = rstd * (d * weight(i) - xhat * sum_gx / static_cast<double>(a.n));
      if (a.dsum != nullptr) dx += a.dsum[at];
      a.dx[at] = static_cast<T>(a.add_dx ? a.dx[at] + dx : dx);
    }
  }
}

}  // namespace minnow::kernels::reference
