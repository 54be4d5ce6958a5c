#pragma once
/// @file
/// Plain form of rope.hpp for one row: the specification of the vector code, and what f64 runs.

#include "minnow/kernels/rope.hpp"

namespace minnow::kernels::reference {

template <class T>
void rope_row(T* y, const T* x, const T* angles, const RopeShape& shape, bool inverse) {
  const Index half = shape.rotary_dim / 2;
  const Index step = shape.interleaved ? 2 : 1;
  const Index partner = shape.interleaved ? 1 : half;
  for (Index i = 0; i < half; ++i) {
    const double c = angles[i];
    const double s = inverse ? -angles[half + i] : angles[half + i];
    const double a = x[i * step];
    const double b = x[i * step + partner];
    y[i * step] = static_cast<T>(a * c - b * s);
    y[i * step + partner] = static_cast<T>(b * c + a * s);
  }
  for (Index i = shape.rotary_dim; i < shape.head_dim; ++i) y[i] = x[i];
}

}  // namespace minnow::kernels::reference
