#pragma once
/// @file
/// Gated activations of feed-forward networks.

#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// y = silu(gate) * up, in one pass.
/// @param gate, up one shape, f32 or f64 @return the same shape
/// Gradient: dgate = dout up silu'(gate), dup = dout silu(gate). Throws: ShapeError.
/// Source: Shazeer 2020, GLU Variants Improve Transformer.
[[nodiscard]] Tensor swiglu(const Tensor& gate, const Tensor& up);

}  // namespace minnow
