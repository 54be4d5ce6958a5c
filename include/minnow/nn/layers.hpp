#pragma once
/// @file
/// Bundles parameters with the operation that uses them.

#include <optional>
#include <string>
#include <utility>

#include "minnow/kernels/activation.hpp"
#include "minnow/nn/parameter.hpp"
#include "minnow/nn/streams.hpp"

namespace minnow::nn {

/// y = activation(x weight^T + bias); weight (O, I), bias (O) or undefined.
struct Linear {
  Tensor weight, bias;
  /// Adds name.weight and, when asked for, name.bias to the list.
  /// @param matrix_rows see Parameter
  static Linear make(ParameterList& list, const std::string& name, Index in, Index out, bool bias,
                     const Initializer& init, std::vector<Index> matrix_rows = {});
  [[nodiscard]] Tensor operator()(const Tensor& x, std::optional<kernels::Activation> activation = std::nullopt) const;
};

enum class NormType { kLayer, kRms };

/// LayerNorm or RMSNorm over the last axis; weight (C), bias (C) or undefined. RMSNorm has no bias.
struct Norm {
  Tensor weight, bias;
  double eps = 1e-5;
  NormType type = NormType::kLayer;
  static Norm make(ParameterList& list, const std::string& name, Index width, NormType type, bool bias, double eps);
  [[nodiscard]] Tensor operator()(const Tensor& x) const;
  /// @return {x + residual, norm of the sum}.
  [[nodiscard]] std::pair<Tensor, Tensor> add(const Tensor& x, const Tensor& residual) const;
};

/// Dropout at one numbered site: a pure function of seed, step, site and place in the global batch. Off in evaluation.
/// @param x (B, ...): rows are sequences of the global batch
[[nodiscard]] Tensor dropout_at(const Tensor& x, double p, Index site, const ForwardMode& mode);

/// @return (T, C) f32 or f64: row t holds sin(w), cos(w), ... of the angles w = (first + t) / 10000^(2i / C), at 2i and
/// 2i + 1. Source: Vaswani et al. 2017, section 3.5.
[[nodiscard]] Tensor sinusoidal_table(Index first, Index length, Index width, DType dtype = DType::f32);

/// @return (T, R) f32 or f64, what `row_rope` wants: row t holds cos of the angles (first + t) theta^(-2i / R), i = 0
/// .. R / 2 - 1, then their sin. Source: Su et al. 2021, RoFormer.
[[nodiscard]] Tensor rotary_table(Index first, Index length, Index rotary_dim, double theta, DType dtype = DType::f32);

}  // namespace minnow::nn
