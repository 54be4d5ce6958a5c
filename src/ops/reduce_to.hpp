#pragma once
/// @file
/// Sums a tensor over the axes along which it was broadcast: the gradient of every broadcast.

#include <vector>

#include "minnow/tensor/tensor.hpp"
#include "tensor/strided.hpp"

namespace minnow::ops {

/// target = sum of `source` over the axes where target, aligned from the last axis, is absent or 1. Requires: both of
/// type T, target contiguous and broadcastable to source. Sums in f64, in row-major order of the summed axes: same bits
/// at any thread count.
template <class T>
void sum_to(const Tensor& source, Tensor target) {
  const Shape& from = source.shape();
  const Index shift = from.rank() - target.rank();
  Shape kept, kept_strides, summed, summed_strides;
  for (Index axis = 0; axis < from.rank(); ++axis) {
    const bool sums = axis < shift || target.shape()[axis - shift] != from[axis];
    (sums ? summed : kept).push_back(from[axis]);
    (sums ? summed_strides : kept_strides).push_back(source.strides()[axis]);
  }
  T* out = target.mutable_data<T>();
  if (target.numel() == 0) return;
  if (summed.numel() == 0) {
    std::fill_n(out, target.numel(), T{0});
    return;
  }
  const T* in = source.data<T>();
  const StridedLoop<1> outer(kept, {kept_strides});
  const StridedLoop<1> inner(summed, {summed_strides});
  // Neighbouring outputs are summed side by side, so that rows of `source` are read in line.
  constexpr Index kSideBySide = 64;
  const Index line = outer.inner();
  const Index pieces = (line + kSideBySide - 1) / kSideBySide;
  parallel_chunks(outer.outer() * pieces, [&](Index chunk) {
    const Index first = chunk % pieces * kSideBySide;
    const Index count = std::min(kSideBySide, line - first);
    const T* base = in + outer.row_offset(0, chunk / pieces) + first * outer.inner_stride(0);
    double sums[kSideBySide] = {};
    for (Index row = 0; row < inner.outer(); ++row) {
      const T* at = base + inner.row_offset(0, row);
      for (Index i = 0; i < inner.inner(); ++i, at += inner.inner_stride(0)) {
        for (Index k = 0; k < count; ++k) sums[k] += static_cast<double>(at[k * outer.inner_stride(0)]);
      }
    }
    T* to = out + chunk / pieces * line + first;
    for (Index k = 0; k < count; ++k) to[k] = static_cast<T>(sums[k]);
  });
}

}  // namespace minnow::ops
