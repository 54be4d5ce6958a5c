#pragma once
/// @file
/// Tells a model where its tokens stand: rotations, relative biases, resized tables of positions.

#include <utility>

#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// Which channels a rotary embedding takes together.
enum class RopePairs {
  kHalves,       ///< i with i + rotary_dim / 2: LLaMA's files in the layout of Hugging Face, GPT-NeoX
  kInterleaved,  ///< 2i with 2i + 1: the paper, GPT-J
};

struct RopeOptions {
  RopePairs pairs = RopePairs::kHalves;
  double theta = 10000;  ///< base of the angles' geometric sequence
  Index rotary_dim = 0;  ///< channels that turn, from the first on; 0: all of them
};

/// Turns pair i of each row by the angle position * theta^(-2i / rotary_dim):
/// (a, b) -> (a cos - b sin, b cos + a sin). Channels from rotary_dim on pass.
/// @param x (..., T, D), rows of any stride; @param positions i32 or i64, (T), or (B, T) with B = x's first size
/// @return (..., T, D). Gradient: dout turned back. Angles, sines and cosines are formed in f64.
/// Throws: ShapeError. Source: Su et al. 2021, RoFormer.
[[nodiscard]] Tensor rope(const Tensor& x, const Tensor& positions, const RopeOptions& options = {});

/// rope of heads that lie side by side in rows, without a copy.
/// @param x (B, T, H D) f32 or f64, n_head = H
/// @param table (T, R), R even and at most D: cos of the R / 2 angles of a position, then their sin
/// (nn::rotary_table). Constant: no gradient.
/// @return (B, T, H D). Gradient: dout turned back. Throws: ShapeError. Source: as of rope.
[[nodiscard]] Tensor row_rope(const Tensor& x, const Tensor& table, Index n_head, RopePairs pairs = RopePairs::kHalves);

struct T5BiasOptions {
  bool bidirectional = true;  ///< false: keys after the query count as at distance 0
  Index num_buckets = 32;
  Index max_distance = 128;  ///< from here on all distances share the last bucket
};

/// @return (i64, shape of distances) the bucket of key - query: exact for short distances, logarithmic beyond, the far
/// ones together. With n = num_buckets, halved when bidirectional (the upper half for keys after the query), and
/// e = n / 2: |d| below e, else e + floor(log(|d| / e) / log(max_distance / e) (n - e)), at most n - 1.
/// Exact powers fall into the upper bucket, as mathematics has it. No gradient. Throws: ShapeError.
/// Source: Raffel et al. 2020, T5, and its published code.
[[nodiscard]] Tensor t5_bucket(const Tensor& distances, const T5BiasOptions& options = {});

/// y[h, i, j] = table[bucket(j - (i + query_offset)), h]: what T5 adds to its attention scores.
/// @param table (num_buckets, H). @return (H, queries, keys)
/// Gradient: dout summed per bucket and head. Throws: ShapeError. Source: as of t5_bucket.
[[nodiscard]] Tensor t5_relative_bias(const Tensor& table, Index queries, Index keys, Index query_offset = 0,
                                      const T5BiasOptions& options = {});

enum class Interpolation {
  kBilinear,
  kBicubic,  ///< Keys' kernel with a = -0.75
};

/// The sizes of interpolate_pos_embed.
struct GridResize {
  Index old_height = 1, old_width = 1;
  Index new_height = 1, new_width = 1;
  Interpolation mode = Interpolation::kBicubic;
  Index cls_tokens = 1;  ///< rows in front of the grid, kept as they are
};

/// Resizes a table of two-dimensional positions to another grid: ViT on other image sizes. Sample i of an axis is read
/// at (i + 0.5) old / new - 0.5 (no alignment of corners, no smoothing); bilinear holds that at 0, both repeat the
/// border.
/// @param table (1, cls + old_height old_width, C), rows of the grid in line. @return (1, cls + new_height new_width,
/// C) Gradient: the transposed weights. Throws: ShapeError. Source: Keys 1981; Dosovitskiy et al. 2021, ViT.
[[nodiscard]] Tensor interpolate_pos_embed(const Tensor& table, const GridResize& resize);

/// @return (H) the slopes of ALiBi: 2^(-8 i / P), i = 1 .. P, for the largest power of two P <= heads, then every
/// second slope of 2P. Source: Press, Smith, Lewis 2022, Train Short, Test Long, and its published code.
[[nodiscard]] Tensor alibi_slopes(Index heads, DType dtype = DType::f32);

/// @return (T, C) sines in the first half of each row, cosines in the second, of the angles t 10000^(-i / (C/2 - 1)):
/// the fixed positions of Whisper's encoder. Throws: ShapeError for an odd width or one below 4.
/// Source: Radford et al. 2022, Whisper, published code.
[[nodiscard]] Tensor sinusoidal_table_halves(Index length, Index width, DType dtype = DType::f32);

}  // namespace minnow
