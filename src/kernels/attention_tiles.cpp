#include "kernels/attention_tiles.hpp"

#include <cmath>
#include <limits>

#include "kernels/random_bits.hpp"

namespace minnow::kernels {
namespace {

template <class T>
void apply_masks(const AttentionArgs<T>& x, const TilePlace& at, const TileRanges& ranges, T* scores, Index ld) {
  const MaskStrides& m = x.mask_strides;
  for (Index r = 0; r < at.rows; ++r) {
    const Index low = ranges.low[static_cast<std::size_t>(r)], high = ranges.high[static_cast<std::size_t>(r)];
    T* s = scores + r * ld;
    const Index mask_at = at.b * m.batch + at.h * m.head + (at.query + r) * m.query + at.key * m.key;
    if (x.float_mask != nullptr)
      for (Index j = low; j < high; ++j) s[j] += x.float_mask[mask_at + j * m.key];
    if (x.bool_mask != nullptr)
      for (Index j = low; j < high; ++j)
        if (!x.bool_mask[mask_at + j * m.key]) s[j] = -std::numeric_limits<T>::infinity();
    if (x.alibi_slopes != nullptr) {
      const T slope = x.alibi_slopes[at.h];
      const Index position = at.query + r + x.offset - at.key;
      for (Index j = low; j < high; ++j) s[j] -= slope * static_cast<T>(std::abs(position - j));
    }
  }
}

}  // namespace

template <class T>
void score_tile(const AttentionArgs<T>& x, const TilePlace& at, const TileRanges& ranges,
                const AttentionScratch<T>& scratch, const PackedStrips& keys) {
  if (x.head_dim == 0) std::fill_n(scratch.scores, at.rows * scratch.ld, T(0));
  tile_product(TileProduct<T>{.trans_b = true,
                              .m = at.rows,
                              .n = at.cols,
                              .k = x.head_dim,
                              .alpha = x.scale,
                              .a = x.q.at(at.b, at.h) + at.query * x.q.row,
                              .lda = x.q.row,
                              .b = x.k.at(at.b, at.h / group_size(x)) + at.key * x.k.row,
                              .ldb = x.k.row,
                              .c = scratch.scores,
                              .ldc = scratch.ld,
                              .precision = x.precision,
                              .strips = keys});
  if (x.float_mask != nullptr || x.bool_mask != nullptr || x.alibi_slopes != nullptr)
    apply_masks(x, at, ranges, scratch.scores, scratch.ld);
}

template <class T>
TileDropout<T> dropout_tile(const AttentionArgs<T>& x, const TilePlace& at, const TileRanges& ranges,
                            const AttentionScratch<T>& scratch) {
  if (x.dropout <= 0) return {};
  const Index queries = x.dropout_length > 0 ? x.dropout_length : x.q_len;
  const Index keys = x.dropout_length > 0 ? x.dropout_length : x.k_len;
  for (Index r = 0; r < at.rows; ++r) {
    // From a multiple of 4 on: blocks of four words stay whole when rows are a multiple of four long.
    const Index low = ranges.low[static_cast<std::size_t>(r)] / 4 * 4, high = ranges.high[static_cast<std::size_t>(r)];
    if (low >= high) continue;
    const Index element = (((x.first_batch + at.b) * x.heads + at.h) * queries + at.query + r) * keys + at.key + low;
    fill_random_bits(x.random, static_cast<std::uint64_t>(element), static_cast<std::size_t>(high - low),
                     scratch.bits + r * scratch.ld + low);
  }
  return {scratch.bits, drop_threshold(x.dropout), x.dropout < 1 ? static_cast<T>(1 / (1 - x.dropout)) : T(0)};
}

template <class T>
std::size_t attention_scratch_bytes(const AttentionArgs<T>& x) {
  return scratch_per_thread(x) * static_cast<std::size_t>(std::max(1, threads()));
}

template void score_tile<float>(const AttentionArgs<float>&, const TilePlace&, const TileRanges&,
                                const AttentionScratch<float>&, const PackedStrips&);
template void score_tile<double>(const AttentionArgs<double>&, const TilePlace&, const TileRanges&,
                                 const AttentionScratch<double>&, const PackedStrips&);
template TileDropout<float> dropout_tile<float>(const AttentionArgs<float>&, const TilePlace&, const TileRanges&,
                                                const AttentionScratch<float>&);
template TileDropout<double> dropout_tile<double>(const AttentionArgs<double>&, const TilePlace&, const TileRanges&,
                                                  const AttentionScratch<double>&);
template std::size_t attention_scratch_bytes<float>(const AttentionArgs<float>&);
template std::size_t attention_scratch_bytes<double>(const AttentionArgs<double>&);

}  // namespace minnow::kernels
