#pragma once
/// @file
/// Matrix products.

#include <optional>

#include "minnow/kernels/activation.hpp"
#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// Matrix product with NumPy's rules: the last two axes are multiplied, leading ones broadcast, and the axis added to
/// a one-dimensional operand is dropped again.
/// @param a (..., M, K) or (K); @param b (..., K, N) or (K). @return (..., M, N)
/// Gradient: da = dout b^T, db = a^T dout, summed over broadcast axes. Accuracy: K eps. Throws: ShapeError.
[[nodiscard]] Tensor matmul(const Tensor& a, const Tensor& b);

/// y = activation(x weight^T + bias).
/// @param x (..., I); @param weight (O, I); @param bias (O) or undefined; @param activation none: the identity
/// @return (..., O)
/// Gradient: with dz = dout activation'(z): dx = dz weight, dweight = dz^T x, dbias = sum of dz over rows.
/// Throws: ShapeError.
[[nodiscard]] Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                            std::optional<kernels::Activation> activation = std::nullopt);

}  // namespace minnow
