#pragma once
/// @file
/// Plain form of optimizer.hpp for one chunk: the specification of the vector code, and what f64 runs.

#include <cmath>

#include "minnow/kernels/optimizer.hpp"

namespace minnow::kernels::reference {

// The numbers of a step that do not change from element to element.
struct AdamWConstants {
  double decay;            // 1 - lr weight_decay
  double step_size;        // lr / (1 - beta1^step)
  double root_correction;  // 1 / sqrt(1 - beta2^step)
  double beta1, new1;      // beta1, 1 - beta1
  double beta2, new2;
  double eps, grad_scale;

  explicit AdamWConstants(const AdamWStep& a)
      : decay(1 - a.lr * a.weight_decay),
        step_size(a.lr / (1 - std::pow(a.beta1, static_cast<double>(a.step)))),
        root_correction(1 / std::sqrt(1 - std::pow(a.beta2, static_cast<double>(a.step)))),
        beta1(a.beta1),
        new1(1 - a.beta1),
        beta2(a.beta2),
        new2(1 - a.beta2),
        eps(a.eps),
        grad_scale(a.grad_scale) {}
};

template <class T>
double sum_of_products(const T* a, const T* b, Index n) {
  double sum = 0;
  for (Index i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

template <class T>
double sum(const T* x, Index n) {
  double total = 0;
  for (Index i = 0; i < n; ++i) total += static_cast<double>(x[i]);
  return total;
}

template <class T>
T max_abs(const T* x, Index n) {
  T best = 0;
  for (Index i = 0; i < n; ++i) {
    if (std::isnan(x[i])) return x[i];
    best = std::fabs(x[i]) > best ? std::fabs(x[i]) : best;
  }
  return best;
}

template <class T>
NonFinite count_non_finite(const T* x, Index n) {
  NonFinite found;
  for (Index i = 0; i < n; ++i) {
    if (std::isfinite(x[i])) continue;
    if (found.count == 0) found.first = i;
    ++found.count;
  }
  return found;
}

}  // namespace minnow::kernels::reference
