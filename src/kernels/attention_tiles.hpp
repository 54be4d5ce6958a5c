#pragma once
/// @file
/// What forward and backward attention share: the cut into tiles, the keys a query may see, a tile of scores, scratch.

#include <algorithm>
#include <array>
#include <cstddef>

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

inline Index round_up(Index value, Index unit) { return (value + unit - 1) / unit * unit; }

/// Keys [begin, end).
struct KeyRange {
  Index begin, end;
};

/// Keys that query i may see by causality, window and length; what a mask forbids lies inside.
template <class T>
KeyRange keys_of_query(const AttentionArgs<T>& x, Index b, Index i) {
  Index end = x.k_len;
  if (x.key_lengths != nullptr) end = std::clamp<Index>(x.key_lengths[b], 0, end);
  if (x.causal) end = std::clamp<Index>(i + x.offset + 1, 0, end);
  const Index begin = x.window > 0 ? std::clamp<Index>(i + x.offset - x.window + 1, 0, end) : 0;
  return {begin, end};
}

/// Where one tile lies: rows of a query head, columns of its keys.
struct TilePlace {
  Index b, h;
  Index query, rows;
  Index key, cols;
};

/// One thread's scratch memory.
template <class T>
struct AttentionScratch {
  T *scores, *gradients;  ///< (kQueryTile, ld) each
  std::uint32_t* bits;    ///< (kQueryTile, ld)
  Index ld;
};

/// Per row of a tile: the columns [low, high) that the query may see.
struct TileRanges {
  std::array<Index, kQueryTile> low, high;
};

/// @return keys in a tile.
template <class T>
Index key_tile(const AttentionArgs<T>& x) {
  return std::min(kKeyTile, round_up(std::max<Index>(x.k_len, 1), kTilePad));
}

/// Row length of tiles in scratch: one vector more than needed, or rows would lie 2^n bytes apart in the same cache
/// sets.
template <class T>
Index tile_ld(const AttentionArgs<T>& x) {
  return key_tile(x) + kTilePad;
}

template <class T>
std::size_t scratch_per_thread(const AttentionArgs<T>& x) {
  const auto elements = static_cast<std::size_t>(kQueryTile * tile_ld(x));
  return elements * (2 * sizeof(T) + sizeof(std::uint32_t));
}

/// @return the slice of the calling thread, laid out for `x`. @param whole what the scratch was made for: at least as
/// many keys as x has
template <class T>
AttentionScratch<T> scratch_of_thread(const AttentionArgs<T>& whole, const AttentionArgs<T>& x, void* scratch) {
  const Index ld = tile_ld(x), elements = kQueryTile * ld;
  auto* bytes =
      static_cast<std::byte*>(scratch) + static_cast<std::size_t>(thread_number()) * scratch_per_thread(whole);
  auto* scores = reinterpret_cast<T*>(bytes);
  return {scores, scores + elements, reinterpret_cast<std::uint32_t*>(scores + 2 * elements), ld};
}

template <class T>
AttentionScratch<T> scratch_of_thread(const AttentionArgs<T>& x, void* scratch) {
  return scratch_of_thread(x, x, scratch);
}

template <class T>
Index group_size(const AttentionArgs<T>& x) {
  return x.heads / x.kv_heads;
}

/// Keys that any query of rows [query, query + rows) may see.
template <class T>
KeyRange keys_of_rows(const AttentionArgs<T>& x, Index b, Index query, Index rows) {
  const Index begin = keys_of_query(x, b, query).begin, end = keys_of_query(x, b, query + rows - 1).end;
  return {std::min(begin, end), end};
}

/// Fills the columns that each row of the tile may see. @return whether any may see any
template <class T>
bool fill_ranges(const AttentionArgs<T>& x, const TilePlace& at, TileRanges& ranges) {
  bool any = false;
  for (Index r = 0; r < at.rows; ++r) {
    const KeyRange keys = keys_of_query(x, at.b, at.query + r);
    const auto row = static_cast<std::size_t>(r);
    ranges.low[row] = std::clamp<Index>(keys.begin - at.key, 0, at.cols);
    ranges.high[row] = std::clamp<Index>(keys.end - at.key, ranges.low[row], at.cols);
    any = any || ranges.low[row] < ranges.high[row];
  }
  return any;
}

/// The tile of scores as the row kernels want it.
template <class T>
ScoreTile<T> view_tile(const AttentionScratch<T>& scratch, const TilePlace& at, const TileRanges& ranges) {
  return {scratch.scores, scratch.ld, at.rows, round_up(at.cols, kTilePad), ranges.low.data(), ranges.high.data()};
}

/// A product inside a tile; skipped when empty (with beta = 0 the result is zero-filled by the callers' contracts).
template <class T>
void tile_product(const TileProduct<T>& call) {
  if (call.m > 0 && call.n > 0 && call.k > 0) multiply(call);
}

/// scores = scale q k^T with masks and ALiBi applied; columns outside `ranges` hold anything.
template <class T>
void score_tile(const AttentionArgs<T>& args, const TilePlace& at, const TileRanges& ranges,
                const AttentionScratch<T>& scratch);

/// Random bits of the tile's weights. @return what the row kernels need; nothing when there is no dropout
template <class T>
TileDropout<T> dropout_tile(const AttentionArgs<T>& args, const TilePlace& at, const TileRanges& ranges,
                            const AttentionScratch<T>& scratch);

/// All keys for one tile of queries. @param lse of the tile's rows
template <class T>
void forward_queries(const AttentionArgs<T>& args, TilePlace at, const AttentionScratch<T>& scratch, HeadView<T> out,
                     T* lse);

/// Everything a backward task reads and writes.
template <class T>
struct AttentionBackward {
  const AttentionArgs<T>& x;
  HeadView<const T> out, dout;
  const T* lse;  ///< (B, H, Tq)
  AttentionGradient<T> dq, dk, dv;
};

/// dk and dv of one range of keys (and dq, when all keys are there): sums over heads and queries in order.
template <class T>
void backward_keys(const AttentionBackward<T>& g, Index b, Index kv, const KeyRange& keys,
                   const AttentionScratch<T>& scratch, bool want_queries);

}  // namespace minnow::kernels
