#pragma once
/// @file
/// Dropout whose mask is a function of (key, element number): nothing is stored, the backward pass draws it again.

#include <cstdint>

#include "minnow/base/parallel.hpp"
#include "minnow/base/philox.hpp"

namespace minnow::kernels {

/// y = x * keep / (1 - p), plus residual when given. keep[i] = random_bits(key, first_element + i) >=
/// drop_threshold(p): element numbers are those of the global batch, so the mask depends neither on batch splitting nor
/// on threads. The backward pass is the same call with dout for x. y may equal x or residual. p in [0, 1]; p = 1 gives
/// 0. Shapes: contiguous, n elements.
template <class T>
void dropout(T* y, const T* x, const T* residual, Index n, double p, const RandomKey& key, std::uint64_t first_element);

/// As dropout without residual, adding into y: y += x * keep / (1 - p).
template <class T>
void dropout_add(T* y, const T* x, Index n, double p, const RandomKey& key, std::uint64_t first_element);

}  // namespace minnow::kernels
