#pragma once
/// @file
/// Serial array mathematics for f32 (vector code, chosen for the processor at run time) and f64 (the plain reference).
///
/// Every function reads x[0..n) and writes y[0..n); y may equal x. NaN gives NaN, infinities, zeros and subnormals give
/// what C's functions give. Accuracy (f32, against the exact value): at most 4 ulp; denormal results of exp and sigmoid
/// are rounded within one denormal step. The bits depend on the instruction set only through fused multiply-add (AVX2
/// and AVX-512 agree, SSE and the scalar fallback differ from them), never on n, on alignment or on threads.

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// y = e^x.
template <class T>
void vexp(T* y, const T* x, Index n);

/// y = ln x; ln 0 = -inf, negative numbers give NaN.
template <class T>
void vlog(T* y, const T* x, Index n);

/// y = tanh x.
template <class T>
void vtanh(T* y, const T* x, Index n);

/// y = 1 / (1 + e^-x), without overflow.
template <class T>
void vsigmoid(T* y, const T* x, Index n);

/// y = erf x = 2/sqrt(pi) * integral of e^(-t^2) from 0 to x.
template <class T>
void verf(T* y, const T* x, Index n);

/// y = sin x, x in radians, of any size; infinities give NaN.
template <class T>
void vsin(T* y, const T* x, Index n);

/// y = cos x, x in radians, of any size; infinities give NaN.
template <class T>
void vcos(T* y, const T* x, Index n);

/// y = sqrt x, correctly rounded; negative numbers give NaN.
template <class T>
void vsqrt(T* y, const T* x, Index n);

/// @return the largest of x[0..n), NaN when any is NaN, -inf when n = 0. First half of a stable softmax of a row.
template <class T>
[[nodiscard]] T vmax(const T* x, Index n);

/// y = e^(x - shift). Second half of a stable softmax of a row: shift = vmax(x, n), then y *= 1 / sum.
/// @return the sum of y, taken in a fixed number of partial sums, whatever the vector width.
template <class T>
T vexp_sum(T* y, const T* x, T shift, Index n);

/// Softmax of one row: y = e^(x - max x) / sum. A row of nothing but -inf gives 0. y may equal x.
/// @return ln sum e^x (-inf for a row of nothing but -inf).
template <class T>
T softmax_row(T* y, const T* x, Index n);

}  // namespace minnow::kernels
