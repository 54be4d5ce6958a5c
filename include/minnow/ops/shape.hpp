#pragma once
/// @file
/// Views, and operations that move numbers: cut, join, repeat, reorder, pick by index.

#include <initializer_list>
#include <span>
#include <vector>

#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// @name Views
/// The same numbers under other sizes and strides: nothing is copied, the storage is shared.
/// @{

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

/// x without an axis of size 1. Throws: ShapeError for another size.
[[nodiscard]] Tensor squeeze(const Tensor& x, Index axis);

/// x with a new axis of size 1, which becomes `axis` (-1: the last one). Throws: ShapeError.
[[nodiscard]] Tensor unsqueeze(const Tensor& x, Index axis);

/// x at one place of an axis, without that axis; a negative index counts from the end.
/// Gradient: dout there, 0 elsewhere. Throws: ShapeError when the index leaves the axis.
[[nodiscard]] Tensor select(const Tensor& x, Index axis, Index index);
/// @}

/// @name Moving
/// Results are copies. Those that only copy take every type; gradients exist for f32 and f64.
/// @{

/// The tensors one behind the other along an axis. Gradient: dout's part for each.
/// Throws: ShapeError unless types and all other sizes are equal, and for an empty list.
[[nodiscard]] Tensor concat(std::span<const Tensor> xs, Index axis);
[[nodiscard]] inline Tensor concat(std::initializer_list<Tensor> xs, Index axis) {
  return concat(std::span(xs.begin(), xs.size()), axis);
}

/// Tensors of one shape along a new axis, which becomes `axis`. Gradient: dout's part for each. Throws: ShapeError.
[[nodiscard]] Tensor stack(std::span<const Tensor> xs, Index axis);
[[nodiscard]] inline Tensor stack(std::initializer_list<Tensor> xs, Index axis) {
  return stack(std::span(xs.begin(), xs.size()), axis);
}

/// Cuts x along an axis into parts of the given sizes. Gradient: those of the parts, joined; 0 for parts not used.
/// Throws: ShapeError unless the sizes add up to the axis.
[[nodiscard]] std::vector<Tensor> split(const Tensor& x, Index axis, const std::vector<Index>& sizes);

/// Cuts x along an axis into equal parts. Throws: ShapeError unless their number divides the axis.
[[nodiscard]] std::vector<Tensor> split_equal(const Tensor& x, Index axis, Index parts);

/// Copies of x side by side, repeats[k] of them along axis k; more repeats than axes add leading axes.
/// Gradient: dout summed over the copies. Throws: ShapeError.
[[nodiscard]] Tensor repeat(const Tensor& x, const Shape& repeats);

/// y[i] = x[i div repeats] along an axis: each element several times in a row.
/// Gradient: dout summed over the copies. Throws: ShapeError.
[[nodiscard]] Tensor repeat_interleave(const Tensor& x, Index axis, Index repeats);

/// The elements in reverse order along the axes. Gradient: dout flipped. Throws: ShapeError for an axis given twice.
[[nodiscard]] Tensor flip(const Tensor& x, const Shape& axes);

/// y[(i + shift) mod n] = x[i] along each of the axes: a positive shift moves to higher indices, around the end.
/// Gradient: dout rolled back. Throws: ShapeError unless there is a shift for each axis.
[[nodiscard]] Tensor roll(const Tensor& x, const Shape& shifts, const Shape& axes);

/// x with elements of one value around it. @param widths how many before and after the last axis, then the same of the
/// one before it, ... Gradient: dout's inner part. Throws: ShapeError.
[[nodiscard]] Tensor pad(const Tensor& x, const std::vector<Index>& widths, double value = 0);

/// y = x on the diagonal and below (tril) or above (triu), 0 on the other side, over the last two axes.
/// @param diagonal 0: the main one; 1: the next one above; -1: the next one below. Gradient: dout on the kept side.
[[nodiscard]] Tensor tril(const Tensor& x, Index diagonal = 0);
[[nodiscard]] Tensor triu(const Tensor& x, Index diagonal = 0);

/// y = value where mask is true, else x. @param mask bool, broadcast to x. Gradient: dout where x stayed.
[[nodiscard]] Tensor masked_fill(const Tensor& x, const Tensor& mask, double value);
/// @}

/// @name By index
/// Indices are i32 or i64, from 0 on. Sums into one place run in the order of the index, at any thread count.
/// Throws: ShapeError; DataError naming the first index outside the axis.
/// @{

/// y[i, j, k] = x[i, index[i, j, k], k] for axis 1 of three. @param index as many axes as x, none but `axis` longer.
/// @return index's shape. Gradient: dout added at the places it came from.
[[nodiscard]] Tensor gather(const Tensor& x, Index axis, const Tensor& index);

/// y[i, j, k] = x[i, index[j], k] for axis 1 of three. @param index (n). Gradient: dout added where it came from.
[[nodiscard]] Tensor index_select(const Tensor& x, Index axis, const Tensor& index);

/// y = x; then y[i, index[i, j, k], k] += source[i, j, k] for axis 1 of three.
/// @param index as for gather; @param source none of its axes shorter than index's
/// Gradient: dx = dout; dsource = dout at the places it went to, 0 beyond the index.
[[nodiscard]] Tensor scatter_add(const Tensor& x, Index axis, const Tensor& index, const Tensor& source);

/// y[j] = x[0] + ... + x[j] along an axis, summed in f64. Gradient: the running sum of dout from the end.
[[nodiscard]] Tensor cumsum(const Tensor& x, Index axis);
/// @}

}  // namespace minnow
