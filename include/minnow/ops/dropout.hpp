#pragma once
/// @file
/// Dropout by key.

#include "minnow/base/philox.hpp"
#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// y = x * keep / (1 - p), keep[i] drawn from (key, first_element + i): a pure function, so nothing is saved and
/// neither threads nor the cutting of a batch change it. p = 0 returns x itself.
/// @param first_element number of x's first element within the global batch
/// Gradient: dout * keep / (1 - p). Throws: ShapeError unless 0 <= p <= 1. Source: Srivastava et al. 2014, Dropout.
[[nodiscard]] Tensor dropout(const Tensor& x, double p, const RandomKey& key, std::uint64_t first_element = 0);

}  // namespace minnow
