#pragma once
/// @file
/// Normalisation layers over the last axes.

#include <utility>

#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// y = (x - mean) / sqrt(var + eps) * weight + bias over the last axes, with the biased variance.
/// @param x (..., N), f32 or f64, where N stands for the axes of `normalized_shape`
/// @param normalized_shape sizes of the last axes of x
/// @param weight, bias (N) or undefined for 1 and 0
/// @return (..., N)
/// Gradient: with xhat = (x - mean) rstd and g = dout * weight, dx = rstd (g - mean(g) - xhat mean(g xhat)).
/// Accuracy: rows whose mean is large against their spread are right (two corrected passes).
/// Throws: ShapeError. Source: Ba, Kiros, Hinton 2016, Layer Normalization.
[[nodiscard]] Tensor layer_norm(const Tensor& x, const Shape& normalized_shape, const Tensor& weight = {},
                                const Tensor& bias = {}, double eps = 1e-5);

/// y = x / sqrt(mean(x^2) + eps) * weight over the last axes.
/// @param x, normalized_shape, weight as in layer_norm
/// Gradient: with xhat = x rstd and g = dout * weight, dx = rstd (g - xhat mean(g xhat)).
/// Throws: ShapeError. Source: Zhang, Sennrich 2019, Root Mean Square Layer Normalization.
[[nodiscard]] Tensor rms_norm(const Tensor& x, const Shape& normalized_shape, const Tensor& weight = {},
                              double eps = 1e-6);

/// The residual connection and the norm after it in one pass: sum = x + residual, y = layer_norm(sum).
/// @param x, residual (..., C); @param weight, bias (C) or undefined
/// @return {sum, y}, both (..., C)
[[nodiscard]] std::pair<Tensor, Tensor> add_layer_norm(const Tensor& x, const Tensor& residual, const Tensor& weight,
                                                       const Tensor& bias, double eps = 1e-5);

/// The residual connection and the norm after it in one pass: sum = x + residual, y = rms_norm(sum).
/// @param x, residual (..., C); @param weight (C) or undefined
/// @return {sum, y}, both (..., C)
[[nodiscard]] std::pair<Tensor, Tensor> add_rms_norm(const Tensor& x, const Tensor& residual, const Tensor& weight,
                                                     double eps = 1e-6);

}  // namespace minnow
