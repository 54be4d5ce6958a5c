#pragma once
/// @file
/// The softmax work of attention on one tile of scores: vector code for float, plain loops for double.

#include <cstdint>

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// Tiles in scratch memory have rows of a multiple of this many elements, so that vectors never need a tail.
inline constexpr Index kTilePad = 16;

/// A tile of scores (rows, width) with, per row, the columns [low, high) that the query may attend. Entries outside
/// them hold anything. `width` and `ld` are multiples of kTilePad, s is 64-byte aligned.
template <class T>
struct ScoreTile {
  T* s;
  Index ld, rows, width;
  const Index* low;
  const Index* high;
};

/// Dropout of a tile's weights. A weight is dropped when its bits are below the threshold.
template <class T>
struct TileDropout {
  const std::uint32_t* bits = nullptr;  ///< (rows, ld) of random bits, only columns in [low, high) are read; null: none
  std::uint64_t threshold = 0;
  T keep_scale = 1;
};

/// One step of the online softmax: s becomes exp(s - max) (0 outside [low, high)), times dropout.
/// @param max (rows) running maximum, -inf at first; becomes the new one (NaN once a NaN was met among only -inf)
/// @param sum (rows) running sum of exponentials before dropout, relative to max
/// @param correction (rows) factor for what was summed with the old maximum
template <class T>
void softmax_tile(const ScoreTile<T>& tile, const TileDropout<T>& drop, T* max, T* sum, T* correction);

/// s becomes the weights exp(s - lse), 0 outside [low, high) and in rows whose lse is -inf.
template <class T>
void weights_tile(const ScoreTile<T>& tile, const T* lse);

/// What the backward pass knows per row.
template <class T>
struct BackwardTile {
  T* dp;           ///< (rows, ld): gradient of the dropped weights; becomes the gradient of q . k
  const T* lse;    ///< (rows)
  const T* delta;  ///< (rows): dout . out
  T scale;
};

/// With p = exp(s - lse) and keep = 0 or keep_scale: s becomes p * keep, dp becomes p * (dp * keep - delta) * scale.
template <class T>
void softmax_backward_tile(const ScoreTile<T>& tile, const TileDropout<T>& drop, const BackwardTile<T>& back);

/// to[r] = a_r . b_r for `rows` rows of n elements.
template <class T>
void dot_rows(T* to, const T* a, Index lda, const T* b, Index ldb, Index rows, Index n);

}  // namespace minnow::kernels
