#pragma once
/// @file
/// Checks the shapes of normalisation layers, which all take the last axes as one row.

#include <fmt/format.h>

#include <cmath>

#include "minnow/autograd/op.hpp"
#include "minnow/base/error.hpp"

namespace minnow::ops {

/// Options of the norms.
struct NormAttrs {
  Shape normalized;  ///< sizes of the last axes
  double eps = 1e-5;
};

/// @return elements of one normalised row.
inline Index row_width(const NormAttrs& attrs) { return attrs.normalized.numel(); }

/// @return rows of x; the width may be 0 only together with an empty x.
inline Index row_count(const TensorSpec& x, const NormAttrs& attrs) {
  return row_width(attrs) == 0 ? 0 : x.shape.numel() / row_width(attrs);
}

/// Throws: ShapeError unless x ends with the normalised sizes and each given parameter (from input `first_parameter`
/// on) has exactly them.
inline void check_norm(const char* who, Specs specs, const NormAttrs& attrs, std::size_t first_parameter = 1) {
  const Shape& x = specs[0].shape;
  const Index lead = x.rank() - attrs.normalized.rank();
  const bool ends = attrs.normalized.rank() > 0 && lead >= 0 &&
                    std::equal(attrs.normalized.begin(), attrs.normalized.end(), x.begin() + std::max<Index>(0, lead));
  if (!ends) {
    throw ShapeError(
        fmt::format("[{}] x must end with the normalised sizes {}; got {}", who, attrs.normalized.str(), x.str()));
  }
  if (!(attrs.eps >= 0 && std::isfinite(attrs.eps))) {
    throw ShapeError(fmt::format("[{}] eps must be finite and not negative; got {}", who, attrs.eps));
  }
  for (std::size_t i = first_parameter; i < specs.size(); ++i) {
    if (specs[i].present && specs[i].shape != attrs.normalized) {
      throw ShapeError(fmt::format("[{}] weight and bias must have shape {}; got {}", who, attrs.normalized.str(),
                                   specs[i].shape.str()));
    }
  }
}

/// @return `data` of an optional tensor, or null.
template <class T>
const T* optional_data(const Tensor& x) {
  return x.defined() ? x.data<T>() : nullptr;
}

/// @return a place for the gradient, or null where none is wanted.
template <class T>
T* wanted(const BackwardContext& c, std::size_t i) {
  return c.dins[i].defined() ? c.dins[i].mutable_data<T>() : nullptr;
}

}  // namespace minnow::ops
