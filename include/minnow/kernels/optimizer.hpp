#pragma once
/// @file
/// Passes over flat parameter and gradient buffers: AdamW, norms, search for non-finite numbers, scaling.
///
/// Arrays are cut in chunks of kFlatChunk elements; partial results go to one slot per chunk and are combined in chunk
/// order, so the bits do not depend on the number of threads.

#include <cstdint>

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// Elements of a chunk of a flat buffer.
inline constexpr Index kFlatChunk = 16384;

/// @return the number of chunks of a flat buffer, which is the number of scratch slots that reductions here need.
[[nodiscard]] constexpr Index flat_chunks(Index n) { return (n + kFlatChunk - 1) / kFlatChunk; }

/// Hyperparameters of one AdamW step.
struct AdamWStep {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  std::int64_t step = 1;  ///< number of this step, from 1
  double grad_scale = 1;  ///< multiplies the gradient first (clipping, accumulation)
};

/// One AdamW step in one pass. With g = grad_scale * grad: param *= 1 - lr * weight_decay;
/// m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
/// param -= lr / (1 - beta1^step) * m / (sqrt(v / (1 - beta2^step)) + eps).
/// Source: Loshchilov and Hutter 2019, algorithm 2, in PyTorch's form (decay times lr, eps outside the root).
template <class T>
void adamw_step(T* param, const T* grad, T* m, T* v, Index n, const AdamWStep& args);

/// @param scratch flat_chunks(n) elements.
/// @return sum of x^2 in f64, each square formed in f64: f32 numbers near 1e20 (and 1e38) do not overflow.
template <class T>
[[nodiscard]] double sum_of_squares(const T* x, Index n, double* scratch);

/// @param scratch flat_chunks(n) elements.
/// @return sum of x in f64.
template <class T>
[[nodiscard]] double sum(const T* x, Index n, double* scratch);

/// @param scratch flat_chunks(n) elements.
/// @return sum of a * b in f64.
template <class T>
[[nodiscard]] double dot(const T* a, const T* b, Index n, double* scratch);

/// @param scratch flat_chunks(n) elements.
/// @return the largest |x|, NaN when any is NaN, 0 when n = 0.
template <class T>
[[nodiscard]] T max_abs(const T* x, Index n, T* scratch);

/// Numbers that are NaN or infinite in a buffer.
struct NonFinite {
  Index count = 0;
  Index first = -1;  ///< index of the first one, or -1
};

/// @param scratch flat_chunks(n) elements.
template <class T>
[[nodiscard]] NonFinite count_non_finite(const T* x, Index n, NonFinite* scratch);

/// x *= factor.
template <class T>
void scale(T* x, T factor, Index n);

}  // namespace minnow::kernels
