#pragma once
/// @file
/// Elementwise operations, with NumPy's broadcasting where there are two inputs.

#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// y = a * b.
/// @param a, b f32 or f64, broadcast against each other. Throws: ShapeError when the sizes do not fit.
/// Gradient: da = dout * b, db = dout * a, summed over broadcast axes.
[[nodiscard]] Tensor mul(const Tensor& a, const Tensor& b);

/// y = a + b; see mul. Gradient: dout to both sides.
[[nodiscard]] Tensor add(const Tensor& a, const Tensor& b);

}  // namespace minnow
