#pragma once
/// @file
/// Norms and clipping of gradients that lie in one flat buffer.

#include "minnow/tensor/tensor.hpp"

namespace minnow {

enum class NormKind { kTwo, kOne, kInf };

/// @return the norm of all numbers of flat tensors together, formed in f64: gradients near 1e20 in f32 do not overflow,
/// tiny ones do not vanish. Infinity or NaN among the numbers comes out as infinity or NaN. Threads: same bits at any.
[[nodiscard]] double global_norm(std::span<const Tensor> flat, NormKind kind = NormKind::kTwo);

/// @return min(1, max_norm / (norm + 1e-6)): what clipping multiplies gradients by.
/// Source: Pascanu et al. 2013; the constant is PyTorch's.
[[nodiscard]] double clip_factor(double norm, double max_norm);

/// Multiplies all gradients by clip_factor(norm) when that is below 1. @return the norm before.
/// A norm that is not finite changes nothing: the step must be refused.
double clip_gradients(std::span<Tensor> flat, double max_norm, NormKind kind = NormKind::kTwo);

}  // namespace minnow
