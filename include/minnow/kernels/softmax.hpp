#pragma once
/// @file
/// Softmax, log-softmax and log-sum-exp over the last axis of (rows, n), forward and backward, for f32 and f64.
///
/// -inf marks a masked entry: its softmax is 0. In a row of nothing but -inf softmax is 0, log-sum-exp is -inf and the
/// gradients of both are 0. A NaN or +inf in a row gives NaN in that row. Outputs may equal inputs.

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// y = e^(x - max) / sum e^(x - max), shapes (rows, n).
template <class T>
void softmax_forward(T* y, const T* x, Index rows, Index n);

/// dx = y (dout - sum(y dout)), or dx += with `add`; y is the forward pass's output.
template <class T>
void softmax_backward(T* dx, const T* y, const T* dout, Index rows, Index n, bool add = false);

/// y = x - max - ln sum e^(x - max); -inf stays -inf (a row of nothing but -inf too).
template <class T>
void log_softmax_forward(T* y, const T* x, Index rows, Index n);

/// dx = dout - e^y sum(dout), or dx += with `add`; y is the forward pass's output.
template <class T>
void log_softmax_backward(T* dx, const T* y, const T* dout, Index rows, Index n, bool add = false);

/// lse = ln sum e^x, shape (rows).
template <class T>
void logsumexp_forward(T* lse, const T* x, Index rows, Index n);

/// dx = dlse e^(x - lse), 0 where lse = -inf; or dx += with `add`.
template <class T>
void logsumexp_backward(T* dx, const T* x, const T* lse, const T* dlse, Index rows, Index n, bool add = false);

}  // namespace minnow::kernels
