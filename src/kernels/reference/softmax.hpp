#pragma once
/// @file
/// Plain form of softmax.hpp for one row: the specification of the vector code, and what f64 runs.

#include <cmath>
#include <limits>

#include "kernels/reference/vector_math.hpp"

namespace minnow::kernels::reference {

template <class T>
void softmax_backward_row(T* dx, const T* y, const T* dout, Index n, bool add) {
  T dot = 0;
  for (Index i = 0; i < n; ++i) dot += y[i] * dout[i];
  for (Index i = 0; i < n; ++i) {
    const T value = y[i] * (dout[i] - dot);
    dx[i] = add ? dx[i] + value : value;
  }
}

// ln sum e^x; -inf for a row of nothing but -inf.
template <class T>
T logsumexp_row(const T* x, Index n) {
  const T top = vmax(x, n);
  if (top == -std::numeric_limits<T>::infinity()) return top;
  T sum = 0;
  for (Index i = 0; i < n; ++i) sum += std::exp(x[i] - top);
  return top + std::log(sum);
}

template <class T>
void log_softmax_row(T* y, const T* x, Index n) {
  const T top = vmax(x, n);
  const bool dead = top == -std::numeric_limits<T>::infinity();
  T sum = 0;
  for (Index i = 0; i < n && !dead; ++i) sum += std::exp(x[i] - top);
  const T log_sum = std::log(sum);
  // Two subtractions: x - (top + log_sum) would lose the small log_sum beside a large top.
  for (Index i = 0; i < n; ++i) y[i] = dead ? top : x[i] - top - log_sum;
}

template <class T>
void log_softmax_backward_row(T* dx, const T* y, const T* dout, Index n, bool add) {
  T sum = 0;
  for (Index i = 0; i < n; ++i) sum += dout[i];
  for (Index i = 0; i < n; ++i) {
    const T value = dout[i] - std::exp(y[i]) * sum;
    dx[i] = add ? dx[i] + value : value;
  }
}

template <class T>
void logsumexp_backward_row(T* dx, const T* x, T lse, T dlse, Index n, bool add) {
  const bool dead = lse == -std::numeric_limits<T>::infinity();
  for (Index i = 0; i < n; ++i) {
    const T value = dead ? T(0) : dlse * std::exp(x[i] - lse);
    dx[i] = add ? dx[i] + value : value;
  }
}

}  // namespace minnow::kernels::reference
