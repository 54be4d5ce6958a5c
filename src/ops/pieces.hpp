#pragma once
/// @file
/// Cuts tensors along one axis: what the operations that only move numbers are made of.

#include <fmt/format.h>

#include "minnow/autograd/op.hpp"
#include "minnow/base/error.hpp"

namespace minnow::ops {

/// @return x's elements begin .. begin + count - 1 along an axis, as a view. Requires: they exist.
inline Tensor piece(const Tensor& x, Index axis, Index begin, Index count) {
  Shape shape = x.shape();
  shape[axis] = count;
  return x.as_strided(shape, x.strides(), x.offset() + begin * x.strides()[axis]);
}

/// @return x with another axis of size 1 in front of `axis`, as a view.
inline Tensor with_new_axis(const Tensor& x, Index axis) {
  Shape shape = x.shape();
  Shape strides = x.strides();
  shape.insert(axis, 1);
  strides.insert(axis, 1);
  return x.as_strided(shape, strides, x.offset());
}

/// The sizes of a contiguous tensor in front of an axis, along it and behind it.
struct AroundAxis {
  Index outer = 1, n = 1, inner = 1;
  AroundAxis(const Shape& shape, Index axis) : n(shape[axis]) {
    for (Index i = 0; i < axis; ++i) outer *= shape[i];
    for (Index i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  }
};

/// Cost of reading and writing everything once.
inline Cost moving_cost(const TensorSpec& x) {
  return {0, 2 * static_cast<double>(x.shape.numel()) * static_cast<double>(size_of(x.dtype))};
}

}  // namespace minnow::ops
