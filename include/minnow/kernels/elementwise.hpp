#pragma once
/// @file
/// Simple passes over contiguous arrays, for f32 and f64. Destinations may equal sources element for element.
/// One rounding per operation written (no fused multiply-add), so the bits are the same on every instruction set.

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// Elements that one chunk of an elementwise loop covers.
inline constexpr Index kElementChunk = 16384;

/// y = value.
template <class T>
void fill(T* y, T value, Index n);

/// y = x.
template <class T>
void copy(T* y, const T* x, Index n);

/// y = a + b.
template <class T>
void add(T* y, const T* a, const T* b, Index n);

/// y = a - b.
template <class T>
void subtract(T* y, const T* a, const T* b, Index n);

/// y = a * b, or y += a * b with `accumulate`.
template <class T>
void multiply(T* y, const T* a, const T* b, Index n, bool accumulate = false);

/// y += factor * x.
template <class T>
void axpy(T* y, T factor, const T* x, Index n);

/// y = factor * x.
template <class T>
void scaled_copy(T* y, T factor, const T* x, Index n);

/// y = x + bias. Shapes y, x (rows, n), bias (n).
template <class T>
void add_bias(T* y, const T* x, const T* bias, Index rows, Index n);

}  // namespace minnow::kernels
