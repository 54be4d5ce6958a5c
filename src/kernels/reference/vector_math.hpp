#pragma once
/// @file
/// Plain form of vector_math.hpp: the specification of the vector code, and what f64 runs.

#include <cmath>
#include <limits>

#include "minnow/base/parallel.hpp"

namespace minnow::kernels::reference {

template <class T>
T sigmoid(T x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const T e = std::exp(x);  // NaN comes here too
  return e / (1 + e);
}

template <class T, class F>
void map(T* y, const T* x, Index n, F f) {
  for (Index i = 0; i < n; ++i) y[i] = f(x[i]);
}

template <class T>
T vmax(const T* x, Index n) {
  T best = -std::numeric_limits<T>::infinity();
  for (Index i = 0; i < n; ++i) {
    if (std::isnan(x[i])) return x[i];
    if (x[i] > best) best = x[i];
  }
  return best;
}

template <class T>
T vexp_sum(T* y, const T* x, T shift, Index n) {
  T sum = 0;
  for (Index i = 0; i < n; ++i) {
    y[i] = std::exp(x[i] - shift);
    sum += y[i];
  }
  return sum;
}

template <class T>
T softmax_row(T* y, const T* x, Index n) {
  const T top = vmax(x, n);
  if (top == -std::numeric_limits<T>::infinity()) {
    for (Index i = 0; i < n; ++i) y[i] = 0;
    return top;
  }
  const T sum = vexp_sum(y, x, top, n);
  for (Index i = 0; i < n; ++i) y[i] /= sum;
  return top + std::log(sum);
}

}  // namespace minnow::kernels::reference
