#pragma once
/// @file
/// Answers where the elements of a strided tensor lie, for any sizes and strides.

#include "minnow/tensor/shape.hpp"

namespace minnow {

/// @return whether every element of a view lies in a storage of `elements` ones. Sizes are at least 1; strides and
/// offset may be anything.
[[nodiscard]] bool stays_inside(Index elements, const Shape& shape, const Shape& strides, Index offset);

/// @return whether two elements lie at one place. Exact: where the strides do not answer it, the places are marked.
[[nodiscard]] bool elements_meet(const Shape& shape, const Shape& strides);

}  // namespace minnow
