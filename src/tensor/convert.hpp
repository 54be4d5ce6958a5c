#pragma once
/// @file
/// Copies numbers between tensors of one shape, whatever their strides and element types.

#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// Writes `from` into `to`, element by element, converting. Requires: equal shapes; `to` does not overlap `from`.
/// bf16 rounds to nearest even, bool is "not zero", floats go to integers by truncation. Parallel over rows.
void convert_strided(const Tensor& from, const Tensor& to);

}  // namespace minnow
