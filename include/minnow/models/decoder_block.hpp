#pragma once
/// @file
/// One block of a causal transformer, put together from the parts of GPT-2 and LLaMA.

#include "minnow/models/language_model.hpp"
#include "minnow/nn/layers.hpp"
#include "minnow/ops/position.hpp"

namespace minnow {

/// Causal self-attention of H query heads over Hkv key and value heads, with projections before and behind.
/// D = width of a head.
struct SelfAttention {
  nn::Linear qkv;      ///< ((H + 2 Hkv) D, C): q, then k, then v, as GPT-2 stores them; or
  nn::Linear q, k, v;  ///< (H D, C), (Hkv D, C), (Hkv D, C), as LLaMA stores them
  nn::Linear out;      ///< (C, H D)
  Index n_head = 1;
  Index n_kv_head = 0;  ///< 0: as many as n_head
  Index window = 0;     ///< positions that a query sees, its own the last; 0: all before it
  RopePairs pairs = RopePairs::kHalves;
  double dropout = 0;  ///< of the weights
  Index dropout_site = 0;

  [[nodiscard]] Index kv_heads() const { return n_kv_head > 0 ? n_kv_head : n_head; }
  /// @param y (B, T, C); @param rope (T, R) table of the positions of y, or undefined
  /// @return (B, T, C)
  [[nodiscard]] Tensor operator()(const Tensor& y, const Tensor& rope, const ForwardMode& mode) const;
  /// As above for N further positions behind those in the cache of layer `layer`. @param y (B, N, C)
  [[nodiscard]] Tensor cached(const Tensor& y, const Tensor& rope, KeyValueCache& cache, Index layer) const;

  /// Queries, keys and values of the positions of y, queries and keys turned.
  struct Projected {
    Tensor q, k, v;  ///< (B, T, H D), (B, T, Hkv D), (B, T, Hkv D)
  };
  [[nodiscard]] Projected project(const Tensor& y, const Tensor& rope) const;
};

/// y = down(activation(up x)), or with a gate down(activation(gate x) * (up x)).
struct FeedForward {
  nn::Linear gate;  ///< (F, C); weight undefined without a gate
  nn::Linear up;    ///< (F, C)
  nn::Linear down;  ///< (C, F)
  kernels::Activation activation = kernels::Activation::kGeluTanh;

  /// @param y (B, T, C) @return (B, T, C)
  [[nodiscard]] Tensor operator()(const Tensor& y) const;
};

/// One block. Pre-norm: x += attention(norm_1(x)); x += mlp(norm_2(x)).
/// Post-norm: x = norm_1(x + attention(x)); x = norm_2(x + mlp(x)).
struct DecoderBlock {
  nn::Norm norm_1, norm_2;
  SelfAttention attention;
  FeedForward mlp;
  double residual_dropout = 0;
  Index first_site = 0;  ///< number of this block's first dropout site

  /// @param y (B, T, C): normed input. @return (B, T, C): what attention adds to the stream.
  [[nodiscard]] Tensor attend(const Tensor& y, const Tensor& rope, const ForwardMode& mode) const;
  /// As attend, for N further positions behind those in the cache of layer `layer`.
  [[nodiscard]] Tensor attend_cached(const Tensor& y, const Tensor& rope, KeyValueCache& cache, Index layer) const;
  /// @param y (B, T, C): normed input. @return (B, T, C): what the MLP adds to the stream.
  [[nodiscard]] Tensor feed_forward(const Tensor& y, const ForwardMode& mode) const;
  /// The whole pre-norm block. @param x (B, T, C) @return (B, T, C)
  [[nodiscard]] Tensor pre_norm(const Tensor& x, const Tensor& rope, const ForwardMode& mode) const;
  /// The whole post-norm block. @param x (B, T, C) @return (B, T, C)
  [[nodiscard]] Tensor post_norm(const Tensor& x, const Tensor& rope, const ForwardMode& mode) const;
};

}  // namespace minnow
