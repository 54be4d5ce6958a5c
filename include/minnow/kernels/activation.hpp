#pragma once
/// @file
/// Activation functions and their derivatives, for f32 and f64.
///
/// The `_serial` forms run on the calling thread (for GEMM epilogues), the others split long arrays over the team.
/// Both give the same bits. Destinations may equal inputs element for element.

#include <cstdint>

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// Which activation.
enum class Activation : std::uint8_t {
  kRelu,      ///< max(x, 0); derivative 0 at 0; NaN stays NaN
  kGeluTanh,  ///< x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
  kGeluErf,   ///< x/2 (1 + erf(x / sqrt 2))
  kSilu,      ///< x / (1 + e^-x)
};

/// y = f(x), or y += f(x) with `add`. Limits are taken at the infinities: GELU and SiLU of -inf are 0.
/// Accuracy (f32): within 4 ulp of the exact value, or 1e-7 |x| where the value is small against x.
template <class T>
void activation_forward(Activation kind, T* y, const T* x, Index n, bool add = false);

/// dx = f'(x) * dout, or dx += with `add`. Accuracy (f32): f' within 5e-7.
template <class T>
void activation_backward(Activation kind, T* dx, const T* x, const T* dout, Index n, bool add = false);

/// dx = slope * dout with f'(x) that somebody kept, an epilogue of a product for one. ReLU stops even an infinite dout.
template <class T>
void activation_backward_by_slope(Activation kind, T* dx, const T* slope, const T* dout, Index n);

/// As activation_forward, on the calling thread.
template <class T>
void activation_forward_serial(Activation kind, T* y, const T* x, Index n, bool add = false);

/// As activation_backward, on the calling thread.
template <class T>
void activation_backward_serial(Activation kind, T* dx, const T* x, const T* dout, Index n, bool add = false);

/// SwiGLU: y = silu(gate) * up, row by row.
/// @param y (rows, n) with row stride `y_stride`; @param gate, up (rows, n), both with row stride `x_stride`, so that
/// they may be the halves of one (rows, 2n) array.
template <class T>
void swiglu_forward(T* y, Index y_stride, const T* gate, const T* up, Index x_stride, Index rows, Index n);

/// dgate = dout * up * silu'(gate), dup = dout * silu(gate); `add` adds to both. Strides as in swiglu_forward: dgate
/// and dup have row stride `x_stride`, dout `y_stride`.
template <class T>
void swiglu_backward(T* dgate, T* dup, const T* gate, const T* up, Index x_stride, const T* dout, Index y_stride,
                     Index rows, Index n, bool add = false);

}  // namespace minnow::kernels
