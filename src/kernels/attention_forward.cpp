#include <cmath>
#include <limits>

#include "kernels/attention_tiles.hpp"

namespace minnow::kernels {
namespace {

constexpr Index kLeastWork = Index{1} << 17;  // multiply-adds of a task

/// The running softmax of a tile of queries.
template <class T>
struct RowStatistics {
  std::array<T, kQueryTile> max, sum, correction;
};

template <class T>
void scale_row(T* row, Index n, T factor) {
  for (Index i = 0; i < n; ++i) row[i] *= factor;
}

/// Adds one key tile to the output rows of a query tile.
template <class T>
void forward_tile(const AttentionArgs<T>& x, const TilePlace& at, const AttentionScratch<T>& scratch, T* out,
                  Index out_row, bool first, RowStatistics<T>& rows, const KeyPanels& panels) {
  TileRanges ranges;
  fill_ranges(x, at, ranges);
  score_tile(x, at, ranges, scratch, panels.keys_turned);
  const TileDropout<T> drop = dropout_tile(x, at, ranges, scratch);
  softmax_tile(view_tile(scratch, at, ranges), drop, rows.max.data(), rows.sum.data(), rows.correction.data());
  if (!first)
    for (Index r = 0; r < at.rows; ++r)
      if (rows.correction[static_cast<std::size_t>(r)] != T(1))
        scale_row(out + r * out_row, x.value_dim, rows.correction[static_cast<std::size_t>(r)]);
  tile_product(TileProduct<T>{.m = at.rows,
                              .n = x.value_dim,
                              .k = at.cols,
                              .a = scratch.scores,
                              .lda = scratch.ld,
                              .b = x.v.at(at.b, at.h / group_size(x)) + at.key * x.v.row,
                              .ldb = x.v.row,
                              .beta = first ? T(0) : T(1),
                              .c = out,
                              .ldc = out_row,
                              .precision = x.precision,
                              .strips = panels.values});
}

/// The weights of a query tile, once its lse is known. @param weights (Tq, Tk) of this head
template <class T>
void store_weights(const AttentionArgs<T>& x, TilePlace at, const AttentionScratch<T>& scratch, const T* lse,
                   T* weights) {
  const Index step = key_tile(x);
  for (at.key = 0; at.key < x.k_len; at.key += step) {
    at.cols = std::min(step, x.k_len - at.key);
    TileRanges ranges;
    fill_ranges(x, at, ranges);
    score_tile(x, at, ranges, scratch, {});
    weights_tile(view_tile(scratch, at, ranges), lse);
    for (Index r = 0; r < at.rows; ++r)
      std::copy_n(scratch.scores + r * scratch.ld, at.cols, weights + (at.query + r) * x.k_len + at.key);
  }
}

/// Divides the output rows by the sums of their weights. @param lse of these rows
template <class T>
void finish_rows(const RowStatistics<T>& rows, Index count, T* out, Index out_row, Index n, T* lse) {
  for (Index r = 0; r < count; ++r) {
    const T sum = rows.sum[static_cast<std::size_t>(r)], max = rows.max[static_cast<std::size_t>(r)];
    T* row = out + r * out_row;
    if (sum == T(0)) {  // no key at all
      std::fill_n(row, n, T(0));
      lse[r] = -std::numeric_limits<T>::infinity();
    } else {
      scale_row(row, n, T(1) / sum);
      lse[r] = max + std::log(sum);
    }
  }
}

/// The part of a group of queries that is its tile number `tile`.
TilePlace tile_of_group(const TilePlace& group, Index tile) {
  TilePlace at = group;
  at.query = group.query + tile * kQueryTile;
  at.rows = std::min(kQueryTile, group.query + group.rows - at.query);
  return at;
}

}  // namespace

template <class T>
void forward_queries(const AttentionArgs<T>& x, TilePlace group, const AttentionScratch<T>& scratch, HeadView<T> out,
                     T* lse) {
  std::array<RowStatistics<T>, kQueryGroup / kQueryTile> rows;
  const Index tiles = (group.rows + kQueryTile - 1) / kQueryTile;
  for (Index tile = 0; tile < tiles; ++tile) {
    rows[static_cast<std::size_t>(tile)].max.fill(-std::numeric_limits<T>::infinity());
    rows[static_cast<std::size_t>(tile)].sum.fill(T(0));
  }
  const KeyRange keys = keys_of_rows(x, group.b, group.query, group.rows);
  const Index step = key_tile(x);
  T* const first_row = out.at(group.b, group.h) + group.query * out.row;
  for (group.key = keys.begin / kTilePad * kTilePad; group.key < keys.end; group.key += step) {
    group.cols = std::min(step, keys.end - group.key);
    const KeyPanels panels = pack_forward(x, group, scratch.panels);
    for (Index tile = 0; tile < tiles; ++tile) {
      TilePlace at = tile_of_group(group, tile);
      at.cols = std::min(step, keys_of_rows(x, at.b, at.query, at.rows).end - at.key);
      if (at.cols <= 0) continue;
      forward_tile(x, at, scratch, first_row + tile * kQueryTile * out.row, out.row, at.key <= keys.begin,
                   rows[static_cast<std::size_t>(tile)], panels);
    }
  }
  for (Index tile = 0; tile < tiles; ++tile) {
    const Index row = tile * kQueryTile;
    finish_rows(rows[static_cast<std::size_t>(tile)], std::min(kQueryTile, group.rows - row), first_row + row * out.row,
                out.row, x.value_dim, lse + row);
  }
}

template <class T>
void attention_forward(const AttentionArgs<T>& x, HeadView<T> out, T* lse, T* weights, void* scratch) {
  if (x.batch * x.heads * x.q_len <= 0) return;
  prepare_blas();
  const Index group = query_group(x), groups = (x.q_len + group - 1) / group;
  // Single queries go several heads to a task: a few microseconds are not worth waking a thread.
  const Index work = std::min(x.q_len, group) * x.k_len * (x.head_dim + x.value_dim);
  const Index count = x.batch * x.heads * groups;
  const Index per_task = std::clamp<Index>(kLeastWork / std::max<Index>(1, work), 1, count);
  parallel_ranges(count, per_task, [&](Index begin, Index end, Index) {
    const AttentionScratch<T> mine = scratch_of_thread(x, scratch);
    for (Index task = begin; task < end; ++task) {
      const Index head = task / groups, query = task % groups * group;
      const TilePlace at{head / x.heads, head % x.heads, query, std::min(group, x.q_len - query), 0, 0};
      T* lse_rows = lse + head * x.q_len + query;
      forward_queries(x, at, mine, out, lse_rows);
      if (weights == nullptr) continue;
      for (Index tile = 0; tile * kQueryTile < at.rows; ++tile)
        store_weights(x, tile_of_group(at, tile), mine, lse_rows + tile * kQueryTile,
                      weights + head * x.q_len * x.k_len);
    }
  });
}

template void forward_queries<float>(const AttentionArgs<float>&, TilePlace, const AttentionScratch<float>&,
                                     HeadView<float>, float*);
template void forward_queries<double>(const AttentionArgs<double>&, TilePlace, const AttentionScratch<double>&,
                                      HeadView<double>, double*);
template void attention_forward<float>(const AttentionArgs<float>&, HeadView<float>, float*, float*, void*);
template void attention_forward<double>(const AttentionArgs<double>&, HeadView<double>, double*, double*, void*);

}  // namespace minnow::kernels
