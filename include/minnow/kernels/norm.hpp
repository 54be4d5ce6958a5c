#pragma once
/// @file
/// LayerNorm and RMSNorm over the last axis, forward and backward, with the residual addition fused in.
///
/// Rows whose mean is large against their spread are right: the mean's own rounding error is measured in the second
/// pass and taken out (corrected two-pass algorithm, Chan, Golub and LeVeque 1983), in the backward pass too.
/// Reductions use a fixed number of partial sums and one slot per chunk of rows: same bits at any thread count.

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// Arguments of layer_norm_forward. Shapes: x, residual, sum, y (rows, n); weight, bias (n); mean, rstd (rows).
template <class T>
struct LayerNormForward {
  const T* x = nullptr;         ///< input
  const T* residual = nullptr;  ///< optional, added to x before the norm
  T* sum = nullptr;             ///< receives x + residual; needed when residual is given; may equal x or residual
  const T* weight = nullptr;    ///< optional, 1 when missing
  const T* bias = nullptr;      ///< optional, 0 when missing
  T* y = nullptr;               ///< output; may equal x when residual is missing
  T* mean = nullptr;            ///< optional, saved for the backward pass
  T* rstd = nullptr;            ///< optional, saved: 1 / sqrt(var + eps)
  Index rows = 0;
  Index n = 0;
  double eps = 1e-5;
};

/// s = x + residual; y = (s - mean(s)) / sqrt(var(s) + eps) * weight + bias, with the biased variance.
template <class T>
void layer_norm_forward(const LayerNormForward<T>& args);

/// Arguments of layer_norm_backward. Shapes as in LayerNormForward.
template <class T>
struct LayerNormBackward {
  const T* dout = nullptr;    ///< gradient of y
  const T* dsum = nullptr;    ///< optional gradient that reaches `sum` by the residual path; added to dx; may equal dx
  const T* x = nullptr;       ///< what was normalised: x, or `sum` of the forward pass
  const T* weight = nullptr;  ///< optional
  const T* mean = nullptr;    ///< saved
  const T* rstd = nullptr;    ///< saved
  T* dx = nullptr;            ///< optional gradient of x (and of residual); may equal dout
  bool add_dx = false;        ///< dx += instead of dx =
  T* dweight = nullptr;       ///< optional (n)
  T* dbias = nullptr;         ///< optional (n)
  bool add_params = true;     ///< dweight += and dbias += instead of =
  T* scratch = nullptr;       ///< layer_norm_backward_scratch_size elements; needed with dweight or dbias
  Index rows = 0;
  Index n = 0;
};

/// @return elements of T that layer_norm_backward needs as scratch.
[[nodiscard]] Index layer_norm_backward_scratch_size(Index rows, Index n);

/// With xhat = (x - mean) rstd and g = dout * weight: dx = rstd (g - mean(g) - xhat mean(g xhat)) + dsum,
/// dweight = sum over rows of dout * xhat, dbias = sum over rows of dout.
template <class T>
void layer_norm_backward(const LayerNormBackward<T>& args);

/// Arguments of rms_norm_forward; shapes as in LayerNormForward.
template <class T>
struct RmsNormForward {
  const T* x = nullptr;
  const T* residual = nullptr;  ///< optional, added to x before the norm
  T* sum = nullptr;             ///< receives x + residual; needed when residual is given
  const T* weight = nullptr;    ///< optional
  T* y = nullptr;
  T* rstd = nullptr;  ///< optional, saved: 1 / sqrt(mean(s^2) + eps)
  Index rows = 0;
  Index n = 0;
  double eps = 1e-6;
};

/// s = x + residual; y = s / sqrt(mean(s^2) + eps) * weight.
template <class T>
void rms_norm_forward(const RmsNormForward<T>& args);

/// Arguments of rms_norm_backward; see LayerNormBackward.
template <class T>
struct RmsNormBackward {
  const T* dout = nullptr;
  const T* dsum = nullptr;
  const T* x = nullptr;
  const T* weight = nullptr;
  const T* rstd = nullptr;
  T* dx = nullptr;
  bool add_dx = false;
  T* dweight = nullptr;
  bool add_params = true;
  T* scratch = nullptr;  ///< rms_norm_backward_scratch_size elements; needed with dweight
  Index rows = 0;
  Index n = 0;
};

/// @return elements of T that rms_norm_backward needs as scratch.
[[nodiscard]] Index rms_norm_backward_scratch_size(Index rows, Index n);

/// With xhat = x rstd and g = dout * weight: dx = rstd (g - xhat mean(g xhat)) + dsum, dweight = sum of dout * xhat.
template <class T>
void rms_norm_backward(const RmsNormBackward<T>& args);

}  // namespace minnow::kernels
