#pragma once
/// @file
/// Operations that put the numbers along some axes together into one.
///
/// Inputs are f32 or f64, of any shape and strides. Sums are taken in f64 and rounded once; their order depends on the
/// shape alone, so the bits are the same at any thread count. NaN gives NaN.
///
/// Nothing to reduce (an axis of size 0): sum 0, prod 1, logsumexp -inf, norm 0, as the empty sum and product; mean,
/// var and std NaN, as in NumPy, and no element is there to receive a gradient; amax, max_dim and argmax throw, since
/// no element can be the largest.
/// Throws (all): ShapeError naming the operation, for axes that are out of range or stand twice.

#include <utility>

#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// A list of axes; negative ones count from the last. An empty list means every axis.
using Axes = Shape;

/// y = sum of x over the axes. @param keepdim keeps the summed axes, with size 1.
/// Gradient: dout to every element.
[[nodiscard]] Tensor sum(const Tensor& x, const Axes& axes = {}, bool keepdim = false);

/// y = sum / n, n the number of elements summed. Gradient: dout / n to every element.
[[nodiscard]] Tensor mean(const Tensor& x, const Axes& axes = {}, bool keepdim = false);

/// y = sum of (x - mean)^2 / (n - correction); NaN when n <= correction.
/// @param correction 0 for the biased variance, 1 for Bessel's correction
/// Gradient: dx = dout 2 (x - mean) / (n - correction).
/// Accuracy: two passes and a correction, so a mean that is large against the spread does no harm.
/// Source: Chan, Golub, LeVeque 1983, Algorithms for Computing the Sample Variance.
[[nodiscard]] Tensor var(const Tensor& x, const Axes& axes = {}, bool keepdim = false, double correction = 1);

/// y = the square root of var; PyTorch's `std` (C++ keeps that name for itself).
/// Gradient: dx = dout (x - mean) / ((n - correction) y), 0 where y is 0.
[[nodiscard]] Tensor std_dev(const Tensor& x, const Axes& axes = {}, bool keepdim = false, double correction = 1);

/// y = the largest element. Gradient: dout shared evenly among equal largest elements.
[[nodiscard]] Tensor amax(const Tensor& x, const Axes& axes = {}, bool keepdim = false);

/// The largest element along one axis and where it stands: the first of equal ones, the first NaN if there is any.
/// @return {values, indices (i64)}. Gradient: all of dout to the element of that index.
[[nodiscard]] std::pair<Tensor, Tensor> max_dim(const Tensor& x, Index axis, bool keepdim = false);

/// @return the index (i64) of the largest element along one axis; the first of equal ones. No gradient.
[[nodiscard]] Tensor argmax(const Tensor& x, Index axis, bool keepdim = false);

/// y = ln sum e^x, without overflow. Nothing but -inf gives -inf with gradient 0; with +inf among the elements y is
/// +inf and the gradient goes to these in equal shares. Gradient: dx = dout e^(x - y).
[[nodiscard]] Tensor logsumexp(const Tensor& x, const Axes& axes = {}, bool keepdim = false);

/// y = product of the elements. Gradient: dout times the product of the others, right with zeros among them.
[[nodiscard]] Tensor prod(const Tensor& x, const Axes& axes = {}, bool keepdim = false);

/// y = sqrt(sum of x^2), without overflow. Gradient: dx = dout x / y, 0 where y is 0.
[[nodiscard]] Tensor norm(const Tensor& x, const Axes& axes = {}, bool keepdim = false);

}  // namespace minnow
