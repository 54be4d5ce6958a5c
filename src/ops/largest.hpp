#pragma once
/// @file
/// Finds where the largest element of a row stands.

#include "ops/reduction.hpp"

namespace minnow::ops {

/// Options of max_dim and argmax.
struct LargestAttrs {
  Index axis = -1;
  bool keepdim = false;
};

/// @return the first index of the largest of x[0..n), or of the first NaN. Requires: n > 0.
template <class T>
Index index_of_largest(const T* x, Index n) {
  Index best = 0;
  for (Index i = 0; i < n; ++i) {
    if (std::isnan(x[i])) return i;
    if (x[i] > x[best]) best = i;
  }
  return best;
}

/// Throws: ShapeError naming `who` for a bad axis, an axis without elements and numbers that are not floating.
inline AxisSplit split_one_axis(const char* who, const TensorSpec& x, const LargestAttrs& attrs) {
  check_floating(who, x);
  AxisSplit split(who, x.shape, Axes{x.shape.axis(attrs.axis, who)}, attrs.keepdim);
  if (split.width == 0 && split.result.numel() > 0) {
    throw ShapeError(fmt::format("[{}] the axis {} must hold elements; got {}", who, attrs.axis, x.str()));
  }
  return split;
}

/// @return the usual calls; values far apart, so that differences stay away from ties.
std::vector<Sample> largest_samples();

}  // namespace minnow::ops
