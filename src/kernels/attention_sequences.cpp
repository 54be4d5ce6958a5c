#include "kernels/attention_tiles.hpp"

namespace minnow::kernels {
namespace {

// Longer sequences run one after the other, each on the whole team; the shorter ones all at once, each on one thread.
// Both compute the same tiles in the same order.
constexpr Index kLongSequence = 256;
constexpr Index kTasksPerThread = 4;

template <class T>
HeadView<T> rows_from(HeadView<T> view, Index row) {
  if (view.data != nullptr) view.data += row * view.row;
  return view;
}

template <class T>
AttentionArgs<T> args_of_sequence(const AttentionArgs<T>& whole, const SequenceBorders& borders, Index s) {
  AttentionArgs<T> x = whole;
  x.batch = 1;
  x.q_len = x.k_len = borders.at[s + 1] - borders.at[s];
  x.q = rows_from(whole.q, borders.at[s]);
  x.k = rows_from(whole.k, borders.at[s]);
  x.v = rows_from(whole.v, borders.at[s]);
  x.first_batch = whole.first_batch + s;
  if (x.dropout_length == 0) x.dropout_length = whole.q_len;
  return x;
}

Index length_of(const SequenceBorders& borders, Index s) { return borders.at[s + 1] - borders.at[s]; }

/// Calls run_long(s) for each long sequence, then run_short(s, first head, end of heads) for the others in parallel.
template <class Long, class Short>
void for_sequences(const SequenceBorders& borders, Index heads, const Long& run_long, const Short& run_short) {
  bool all_long = true;
  for (Index s = 0; s < borders.count; ++s) {
    const Index length = length_of(borders, s);
    if (length > kLongSequence) run_long(s);
    all_long = all_long && (length > kLongSequence || length == 0);
  }
  if (all_long) return;
  // A task is a sequence, or one of its heads where there are few of them.
  const Index parts = borders.count >= kTasksPerThread * threads() ? 1 : heads;
  parallel_chunks(borders.count * parts, [&](Index chunk) {
    const Index s = chunk / parts, length = length_of(borders, s);
    if (length == 0 || length > kLongSequence) return;
    const Index first = chunk % parts * (heads / parts);
    run_short(s, first, first + heads / parts);
  });
}

}  // namespace

template <class T>
void attention_sequences_forward(const AttentionArgs<T>& whole, const SequenceBorders& borders, HeadView<T> out, T* lse,
                                 void* scratch) {
  prepare_blas();
  for_sequences(
      borders, whole.heads,
      [&](Index s) {
        const Index begin = borders.at[s];
        attention_forward<T>(args_of_sequence(whole, borders, s), rows_from(out, begin), lse + begin * whole.heads,
                             nullptr, scratch);
      },
      [&](Index s, Index first, Index end) {
        const AttentionArgs<T> x = args_of_sequence(whole, borders, s);
        const AttentionScratch<T> mine = scratch_of_thread(whole, x, scratch);
        const HeadView<T> to = rows_from(out, borders.at[s]);
        for (Index h = first; h < end; ++h)
          for (Index query = 0; query < x.q_len; query += query_group(x))
            forward_queries(x, TilePlace{0, h, query, std::min(query_group(x), x.q_len - query), 0, 0}, mine, to,
                            lse + borders.at[s] * x.heads + h * x.q_len + query);
      });
}

template <class T>
void attention_sequences_backward(const AttentionArgs<T>& whole, const SequenceBorders& borders, HeadView<const T> out,
                                  HeadView<const T> dout, const T* lse, AttentionGradient<T> dq,
                                  AttentionGradient<T> dk, AttentionGradient<T> dv, void* scratch) {
  prepare_blas();
  const auto of_rows = [](AttentionGradient<T> gradient, Index row) {
    return AttentionGradient<T>{rows_from(gradient.to, row), gradient.add};
  };
  for_sequences(
      borders, whole.kv_heads,
      [&](Index s) {
        const Index begin = borders.at[s];
        attention_backward<T>(args_of_sequence(whole, borders, s), rows_from(out, begin), rows_from(dout, begin),
                              lse + begin * whole.heads, of_rows(dq, begin), of_rows(dk, begin), of_rows(dv, begin),
                              scratch);
      },
      [&](Index s, Index first, Index end) {
        const AttentionArgs<T> x = args_of_sequence(whole, borders, s);
        const Index begin = borders.at[s];
        const AttentionBackward<T> g{x,
                                     rows_from(out, begin),
                                     rows_from(dout, begin),
                                     lse + begin * x.heads,
                                     of_rows(dq, begin),
                                     of_rows(dk, begin),
                                     of_rows(dv, begin)};
        for (Index kv = first; kv < end; ++kv)
          backward_keys(g, 0, kv, {0, x.k_len}, scratch_of_thread(whole, x, scratch), true);
      });
}

#define MINNOW_INSTANTIATE(T)                                                                                       \
  template void attention_sequences_forward<T>(const AttentionArgs<T>&, const SequenceBorders&, HeadView<T>, T*,    \
                                               void*);                                                              \
  template void attention_sequences_backward<T>(const AttentionArgs<T>&, const SequenceBorders&, HeadView<const T>, \
                                                HeadView<const T>, const T*, AttentionGradient<T>,                  \
                                                AttentionGradient<T>, AttentionGradient<T>, void*);
MINNOW_INSTANTIATE(float)
MINNOW_INSTANTIATE(double)
#undef MINNOW_INSTANTIATE

}  // namespace minnow::kernels
