#pragma once
/// @file
/// What forward and backward attention share: the cut into tiles, the keys a query may see, a tile of scores, scratch.

#include <algorithm>
#include <array>
#include <cstddef>

#include "kernels/attention_panels.hpp"
#include "kernels/attention_rows.hpp"
#include "kernels/tile_product.hpp"
#include "minnow/kernels/attention.hpp"

namespace minnow::kernels {

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

/// One thread's scratch memory.
template <class T>
struct AttentionScratch {
  T *scores, *gradients;  ///< (kQueryTile, ld) each
  std::uint32_t* bits;    ///< (kQueryTile, ld)
  Index ld;
  std::uint32_t* panels;  ///< panel_lanes(x) lanes
};

/// Per row of a tile: the columns [low, high) that the query may see.
struct TileRanges {
  std::array<Index, kQueryTile> low, high;
};

/// Row length of tiles in scratch: one vector more than needed, or rows would lie 2^n bytes apart in the same cache
/// sets.
template <class T>
Index tile_ld(const AttentionArgs<T>& x) {
  return key_tile(x) + kTilePad;
}

template <class T>
std::size_t scratch_per_thread(const AttentionArgs<T>& x) {
  const auto elements = static_cast<std::size_t>(kQueryTile * tile_ld(x));
  return elements * (2 * sizeof(T) + sizeof(std::uint32_t)) +
         static_cast<std::size_t>(panel_lanes(x)) * sizeof(std::uint32_t);
}

/// @return the slice of the calling thread, laid out for `x`. @param whole what the scratch was made for: at least as
/// many keys as x has
template <class T>
AttentionScratch<T> scratch_of_thread(const AttentionArgs<T>& whole, const AttentionArgs<T>& x, void* scratch) {
  const Index ld = tile_ld(x), elements = kQueryTile * ld;
  auto* bytes =
      static_cast<std::byte*>(scratch) + static_cast<std::size_t>(thread_number()) * scratch_per_thread(whole);
  auto* scores = reinterpret_cast<T*>(bytes);
  auto* bits = reinterpret_cast<std::uint32_t*>(scores + 2 * elements);
  return {scores, scores + elements, bits, ld, bits + elements};
}

template <class T>
AttentionScratch<T> scratch_of_thread(const AttentionArgs<T>& x, void* scratch) {
  return scratch_of_thread(x, x, scratch);
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
/// @param keys k^T of the tile, when it is packed
template <class T>
void score_tile(const AttentionArgs<T>& args, const TilePlace& at, const TileRanges& ranges,
                const AttentionScratch<T>& scratch, const PackedStrips& keys);

/// Random bits of the tile's weights. @return what the row kernels need; nothing when there is no dropout
template <class T>
TileDropout<T> dropout_tile(const AttentionArgs<T>& args, const TilePlace& at, const TileRanges& ranges,
                            const AttentionScratch<T>& scratch);

/// All keys for the queries [at.query, at.query + at.rows), at most kQueryGroup of them. @param lse of these queries
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
