#pragma once
/// @file
/// Measures how far rows spread around their mean.

#include "ops/reduction.hpp"

namespace minnow::ops {

/// y = F of the variance of each row; dx is along x - mean. F brings kDoc, samples() and
///   static double of_variance(double variance);
///   /// @return dx / (x - mean); free: elements - correction
///   static double slope(double free, double y, double dout);
template <class F>
struct Spread : RowReduction<F> {
  static constexpr bool kNeedsElements = false;
  template <class T>
  static T value(const T* x, Index n, const ReduceAttrs& attrs) {
    return static_cast<T>(F::of_variance(moments(x, n).squares / degrees_of_freedom(n, attrs.correction)));
  }
  template <class T>
  static void gradient(T* dx, const T* x, Index n, T y, T dout, const ReduceAttrs& attrs) {
    const double mean = moments(x, n).mean;
    const double factor =
        F::slope(degrees_of_freedom(n, attrs.correction), static_cast<double>(y), static_cast<double>(dout));
    for (Index i = 0; i < n; ++i) dx[i] = static_cast<T>(factor * (static_cast<double>(x[i]) - mean));
  }
};

}  // namespace minnow::ops
