#include "kernels/attention_tiles.hpp"

namespace minnow::kernels {
namespace {

template <class T>
void zero_rows(const HeadView<T>& view, Index b, Index h, Index begin, Index end, Index n) {
  for (Index row = begin; row < end; ++row) std::fill_n(view.at(b, h) + row * view.row, n, T(0));
}

/// Adds what one tile gives to those of dq, dk, dv that are wanted here. @param delta (rows) of dout . out
template <class T>
void backward_tile(const AttentionBackward<T>& g, const TilePlace& at, const AttentionScratch<T>& scratch,
                   const T* delta, bool want_queries, bool want_keys, const KeyPanels& panels) {
  const AttentionArgs<T>& x = g.x;
  TileRanges ranges;
  if (!fill_ranges(x, at, ranges)) return;
  score_tile(x, at, ranges, scratch, panels.keys_turned);
  const Index kv = at.h / group_size(x);
  const T* dout = g.dout.at(at.b, at.h) + at.query * g.dout.row;
  if (x.value_dim == 0) std::fill_n(scratch.gradients, at.rows * scratch.ld, T(0));
  tile_product(TileProduct<T>{.trans_b = true,
                              .m = at.rows,
                              .n = at.cols,
                              .k = x.value_dim,
                              .a = dout,
                              .lda = g.dout.row,
                              .b = x.v.at(at.b, kv) + at.key * x.v.row,
                              .ldb = x.v.row,
                              .c = scratch.gradients,
                              .ldc = scratch.ld,
                              .precision = x.precision,
                              .strips = panels.values_turned});
  const T* lse = g.lse + (at.b * x.heads + at.h) * x.q_len + at.query;
  softmax_backward_tile(view_tile(scratch, at, ranges), dropout_tile(x, at, ranges, scratch),
                        BackwardTile<T>{scratch.gradients, lse, delta, x.scale});
  const auto add = [&](bool trans_a, const T* a, Index inner, const T* b, Index ldb, Index m, Index n, T* c, Index ldc,
                       const PackedStrips& strips) {
    tile_product(TileProduct<T>{.trans_a = trans_a,
                                .m = m,
                                .n = n,
                                .k = inner,
                                .a = a,
                                .lda = scratch.ld,
                                .b = b,
                                .ldb = ldb,
                                .beta = T(1),
                                .c = c,
                                .ldc = ldc,
                                .precision = x.precision,
                                .strips = strips});
  };
  if (want_keys && g.dv.to.data != nullptr)
    add(true, scratch.scores, at.rows, dout, g.dout.row, at.cols, x.value_dim,
        g.dv.to.at(at.b, kv) + at.key * g.dv.to.row, g.dv.to.row, {});
  if (want_keys && g.dk.to.data != nullptr)
    add(true, scratch.gradients, at.rows, x.q.at(at.b, at.h) + at.query * x.q.row, x.q.row, at.cols, x.head_dim,
        g.dk.to.at(at.b, kv) + at.key * g.dk.to.row, g.dk.to.row, {});
  if (want_queries && g.dq.to.data != nullptr)
    add(false, scratch.gradients, at.cols, x.k.at(at.b, kv) + at.key * x.k.row, x.k.row, at.rows, x.head_dim,
        g.dq.to.at(at.b, at.h) + at.query * g.dq.to.row, g.dq.to.row, panels.keys);
}

/// Walks the query tiles of one head against the keys [keys.begin, keys.end), whole key tiles. Sums grow from query to
/// query, or from key to key, in order.
template <class T>
void backward_head(const AttentionBackward<T>& g, Index b, Index h, Index first_query, Index end_query,
                   const KeyRange& keys, const AttentionScratch<T>& scratch, bool want_queries, bool want_keys) {
  const AttentionArgs<T>& x = g.x;
  if (want_queries && g.dq.to.data != nullptr && !g.dq.add)
    zero_rows(g.dq.to, b, h, first_query, end_query, x.head_dim);
  const Index step = key_tile(x);
  const KeyRange all = keys_of_rows(x, b, first_query, end_query - first_query);
  for (Index key = keys.begin; key < std::min(keys.end, all.end); key += step) {
    const TilePlace tile{b, h, first_query, end_query - first_query, key, std::min(step, x.k_len - key)};
    const KeyPanels panels = pack_backward(x, tile, want_queries, scratch.panels);
    for (Index query = first_query; query < end_query; query += kQueryTile) {
      TilePlace at{b, h, query, std::min(kQueryTile, end_query - query), key, 0};
      const KeyRange seen = keys_of_rows(x, b, query, at.rows);
      if (key + step <= seen.begin || key >= seen.end) continue;
      at.cols = std::min(step, seen.end - key);
      std::array<T, kQueryTile> delta;
      dot_rows(delta.data(), g.dout.at(b, h) + query * g.dout.row, g.dout.row, g.out.at(b, h) + query * g.out.row,
               g.out.row, at.rows, x.value_dim);
      backward_tile(g, at, scratch, delta.data(), want_queries, want_keys, panels);
    }
  }
}

template <class T>
void zero_keys(const AttentionBackward<T>& g, Index b, Index kv, const KeyRange& keys) {
  if (g.dk.to.data != nullptr && !g.dk.add) zero_rows(g.dk.to, b, kv, keys.begin, keys.end, g.x.head_dim);
  if (g.dv.to.data != nullptr && !g.dv.add) zero_rows(g.dv.to, b, kv, keys.begin, keys.end, g.x.value_dim);
}

}  // namespace

template <class T>
void backward_keys(const AttentionBackward<T>& g, Index b, Index kv, const KeyRange& keys,
                   const AttentionScratch<T>& scratch, bool want_queries) {
  const Index group = group_size(g.x);
  zero_keys(g, b, kv, keys);
  for (Index h = kv * group; h < (kv + 1) * group; ++h)
    backward_head(g, b, h, 0, g.x.q_len, keys, scratch, want_queries, true);
}

template <class T>
void attention_backward(const AttentionArgs<T>& x, HeadView<const T> out, HeadView<const T> dout, const T* lse,
                        AttentionGradient<T> dq, AttentionGradient<T> dk, AttentionGradient<T> dv, void* scratch) {
  if (x.batch <= 0 || x.heads <= 0) return;
  prepare_blas();
  const AttentionBackward<T> g{x, out, dout, lse, dq, dk, dv};
  // One task a key/value head computes each tile once. With few heads there are two passes instead, over query tiles
  // and over key tiles, which compute the weights twice. Both add the same tiles in the same order: the bits are equal,
  // so the choice may depend on the number of threads.
  const Index heads = x.batch * x.kv_heads;
  if (threads() == 1 || heads >= 2 * threads()) {
    parallel_chunks(heads, [&](Index chunk) {
      backward_keys(g, chunk / x.kv_heads, chunk % x.kv_heads, {0, x.k_len}, scratch_of_thread(x, scratch), true);
    });
    return;
  }
  const Index group = query_group(x), groups = (x.q_len + group - 1) / group;
  if (dq.to.data != nullptr)
    parallel_chunks(x.batch * x.heads * groups, [&](Index chunk) {
      const Index head = chunk / groups, query = chunk % groups * group;
      backward_head(g, head / x.heads, head % x.heads, query, std::min(query + group, x.q_len), {0, x.k_len},
                    scratch_of_thread(x, scratch), true, false);
    });
  const Index step = key_tile(x), key_tiles = (x.k_len + step - 1) / step;
  if (dk.to.data != nullptr || dv.to.data != nullptr)
    parallel_chunks(heads * key_tiles, [&](Index chunk) {
      const Index head = chunk / key_tiles, key = chunk % key_tiles * step;
      backward_keys(g, head / x.kv_heads, head % x.kv_heads, {key, std::min(key + step, x.k_len)},
                    scratch_of_thread(x, scratch), false);
    });
}

template void backward_keys<float>(const AttentionBackward<float>&, Index, Index, const KeyRange&,
                                   const AttentionScratch<float>&, bool);
template void backward_keys<double>(const AttentionBackward<double>&, Index, Index, const KeyRange&,
                                    const AttentionScratch<double>&, bool);
template void attention_backward<float>(const AttentionArgs<float>&, HeadView<const float>, HeadView<const float>,
                                        const float*, AttentionGradient<float>, AttentionGradient<float>,
                                        AttentionGradient<float>, void*);
template void attention_backward<double>(const AttentionArgs<double>&, HeadView<const double>, HeadView<const double>,
                                         const double*, AttentionGradient<double>, AttentionGradient<double>,
                                         AttentionGradient<double>, void*);

}  // namespace minnow::kernels
