#pragma once
/// @file
/// Walks several strided tensors of one shape together, innermost axis first in line.

#include <array>
#include <span>

#include "minnow/tensor/shape.hpp"

namespace minnow {

/// Axes of up to N operands after merging neighbours that every operand steps through evenly.
template <std::size_t N>
struct StridedLoop {
  Shape sizes;                   ///< merged sizes, outermost first; at least one axis
  std::array<Shape, N> strides;  ///< of each operand, in elements

  StridedLoop(const Shape& shape, const std::array<Shape, N>& operand_strides) {
    for (Index axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] == 1) continue;
      if (!sizes.empty() && mergeable(operand_strides, shape, axis)) {
        sizes[sizes.rank() - 1] *= shape[axis];
        for (std::size_t k = 0; k < N; ++k) strides[k][sizes.rank() - 1] = operand_strides[k][axis];
      } else {
        sizes.push_back(shape[axis]);
        for (std::size_t k = 0; k < N; ++k) strides[k].push_back(operand_strides[k][axis]);
      }
    }
    if (sizes.empty()) {
      sizes.push_back(1);
      for (auto& stride : strides) stride.push_back(0);
    }
  }

  [[nodiscard]] Index inner() const { return sizes.back(); }
  [[nodiscard]] Index outer() const { return sizes.back() == 0 ? 0 : sizes.numel() / sizes.back(); }
  [[nodiscard]] Index inner_stride(std::size_t k) const { return strides[k].back(); }

  /// @return where row `row` (0 .. outer() - 1) of operand k begins, in elements.
  [[nodiscard]] Index row_offset(std::size_t k, Index row) const {
    Index at = 0;
    for (Index axis = sizes.rank() - 2; axis >= 0; --axis) {
      at += row % sizes[axis] * strides[k][axis];
      row /= sizes[axis];
    }
    return at;
  }

 private:
  [[nodiscard]] bool mergeable(const std::array<Shape, N>& from, const Shape& shape, Index axis) const {
    for (std::size_t k = 0; k < N; ++k) {
      if (strides[k].back() != from[k][axis] * shape[axis]) return false;
    }
    return true;
  }
};

/// @return strides with which a tensor of `shape` is read as if it had the broader shape `as`: 0 on broadcast axes.
inline Shape broadcast_strides(const Shape& shape, const Shape& strides, const Shape& as) {
  Shape result = as;
  const Index shift = as.rank() - shape.rank();
  for (Index axis = 0; axis < as.rank(); ++axis) {
    result[axis] = axis < shift || (shape[axis - shift] == 1 && as[axis] != 1) ? 0 : strides[axis - shift];
  }
  return result;
}

}  // namespace minnow
