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
                  Index out_row, bool first, RowStatistics<T>& rows) {
  TileRanges ranges;
  fill_ranges(x, at, ranges);
  score_tile(x, at, ranges, scratch);
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
                              .precision = x.precision});
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
    score_tile(x, at, ranges, scratch);
    weights_tile(view_tile(scratch, at, ranges), lse);
    for (Index r = 0; r < at.rows; ++r)
      std::copy_n(scratch.scores + r * scratch.ld, at.cols, weights + (at.query + r) * x.k_len + at.key);
  }
}

}  // namespace

template <class T>
void forward_queries(const AttentionArgs<T>& x, TilePlace at, const AttentionScratch<T>& scratch, HeadView<T> out,
                     T* lse) {
  RowStatistics<T> rows;
  rows.max.fill(-std::numeric_limits<T>::infinity());
  rows.sum.fill(T(0));
  const KeyRange keys = keys_of_rows(x, at.b, at.query, at.rows);
  const Index step = key_tile(x);
  T* out_rows = out.at(at.b, at.h) + at.query * out.row;
  for (at.key = keys.begin / kTilePad * kTilePad; at.key < keys.end; at.key += step) {
    at.cols = std::min(step, keys.end - at.key);
    forward_tile(x, at, scratch, out_rows, out.row, at.key <= keys.begin, rows);
  }
  for (Index r = 0; r < at.rows; ++r) {
    const T sum = rows.sum[static_cast<std::size_t>(r)], max = rows.max[static_cast<std::size_t>(r)];
    T* row = out_rows + r * out.row;
    if (sum == T(0)) {  // no key at all
      std::fill_n(row, x.value_dim, T(0));
      lse[r] = -std::numeric_limits<T>::infinity();
    } else {
      scale_row(row, x.value_dim, T(1) / sum);
      lse[r] = max + std::log(sum);
    }
  }
}

template <class T>
void attention_forward(const AttentionArgs<T>& x, HeadView<T> out, T* lse, T* weights, void* scratch) {
  if (x.batch * x.heads * x.q_len <= 0) return;
  prepare_blas();
  const Index tiles = (x.q_len + kQueryTile - 1) / kQueryTile;
  // Single queries go several heads to a task: a few microseconds are not worth waking a thread.
  const Index work = std::min(x.q_len, kQueryTile) * x.k_len * (x.head_dim + x.value_dim);
  const Index count = x.batch * x.heads * tiles;
  const Index per_task = std::clamp<Index>(kLeastWork / std::max<Index>(1, work), 1, count);
  parallel_ranges(count, per_task, [&](Index begin, Index end, Index) {
    const AttentionScratch<T> mine = scratch_of_thread(x, scratch);
    for (Index tile = begin; tile < end; ++tile) {
      const Index head = tile / tiles, query = tile % tiles * kQueryTile;
      const TilePlace at{head / x.heads, head % x.heads, query, std::min(kQueryTile, x.q_len - query), 0, 0};
      T* lse_rows = lse + head * x.q_len + query;
      forward_queries(x, at, mine, out, lse_rows);
      if (weights != nullptr) store_weights(x, at, mine, lse_rows, weights + head * x.q_len * x.k_len);
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
