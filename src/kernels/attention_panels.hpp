#pragma once
/// @file
/// The cut of attention into tiles, and a tile of keys and values packed once for all the queries that meet it.

#include <algorithm>
#include <cstdint>

#include "kernels/attention_rows.hpp"
#include "kernels/tile_product.hpp"
#include "minnow/kernels/attention.hpp"

namespace minnow::kernels {

/// Tiles hold this many queries; the sizes decide the order of sums, so they are fixed. Measured on one core (Zen 4,
/// causal, forward + backward, ms), for queries x keys of a tile:
///   shape              16 x 256  32 x 128  32 x 256  32 x 512  48 x 256  64 x 256  128 x 256
///   B12 H4 T64 D32         1.09      1.14      1.14      1.14      1.19      1.28       1.29
///   B2 H6 T256 D64         5.73      5.87      5.34      5.35      ----      5.71       9.03
/// (---- = disturbed by other programs). Thin tiles waste less at the diagonal, thick ones pack less often.
inline constexpr Index kQueryTile = 32;
/// Most keys in a tile: (32, 256) floats are 32 KB, well inside a second-level cache.
inline constexpr Index kKeyTile = 256;

/// Queries that one task takes through the keys together: a tile of keys is packed once for all of them. More would
/// leave too few tasks of a long sequence.
inline constexpr Index kQueryGroup = 4 * kQueryTile;

inline Index round_up(Index value, Index unit) { return (value + unit - 1) / unit * unit; }

/// Where one tile lies: rows of a query head, columns of its keys.
struct TilePlace {
  Index b, h;
  Index query, rows;
  Index key, cols;
};

template <class T>
Index group_size(const AttentionArgs<T>& x) {
  return x.heads / x.kv_heads;
}

/// @return keys in a tile.
template <class T>
Index key_tile(const AttentionArgs<T>& x) {
  return std::min(kKeyTile, round_up(std::max<Index>(x.k_len, 1), kTilePad));
}

/// A tile of keys and values as second factors; null where nothing is packed, and products pack for themselves.
struct KeyPanels {
  PackedStrips keys_turned = {};    ///< k^T, for scores
  PackedStrips values_turned = {};  ///< v^T, for the gradient of the weights
  PackedStrips keys = {};           ///< k, for the gradient of q
  PackedStrips values = {};         ///< v, for the output
};

/// @return lanes of 32 bits that a thread's panels take; 0 where nothing is packed: one tile of queries, a window,
/// which lets each tile begin at keys of its own, or a backend that packs for itself.
template <class T>
Index panel_lanes(const AttentionArgs<T>& x);

/// @return queries that go through the keys together.
template <class T>
Index query_group(const AttentionArgs<T>& x) {
  return panel_lanes(x) > 0 ? kQueryGroup : kQueryTile;
}

/// Packs the keys [at.key, at.key + at.cols) of query head at.h for the forward pass.
template <class T>
KeyPanels pack_forward(const AttentionArgs<T>& x, const TilePlace& at, std::uint32_t* to);

/// As well, for the backward pass. @param want_queries whether the gradient of q is computed
template <class T>
KeyPanels pack_backward(const AttentionArgs<T>& x, const TilePlace& at, bool want_queries, std::uint32_t* to);

}  // namespace minnow::kernels
