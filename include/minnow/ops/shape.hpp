#pragma once
/// @file
/// Views: the same numbers under other sizes and strides. All share the storage of their input.

#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// The elements in row-major order under other sizes; one size may be -1 and is worked out. Copies only when x is not
/// contiguous. Gradient: dout under the sizes of x. Throws: ShapeError when the counts differ.
[[nodiscard]] Tensor reshape(const Tensor& x, const Shape& shape);

/// y[i_dims[0], i_dims[1], ...] = x[i_0, i_1, ...]: axis k of y is axis dims[k] of x. Throws: ShapeError unless `dims`
/// names every axis once. Gradient: the inverse permutation of dout.
[[nodiscard]] Tensor permute(const Tensor& x, const Shape& dims);

/// Exchanges two axes; negative ones count from the last.
[[nodiscard]] Tensor transpose(const Tensor& x, Index axis0, Index axis1);

/// Elements begin, begin + step, ... < end of one axis; negative begin and end count from the last, as in NumPy.
/// Gradient: dout at those places, 0 elsewhere. Throws: ShapeError when the range leaves the axis or step < 1.
[[nodiscard]] Tensor slice(const Tensor& x, Index axis, Index begin, Index end, Index step = 1);

/// Repeats axes of size 1 (and adds leading axes) up to `shape`, without copying.
/// Gradient: dout summed over the repeated axes. Throws: ShapeError when x does not broadcast to `shape`.
[[nodiscard]] Tensor expand(const Tensor& x, const Shape& shape);

}  // namespace minnow
