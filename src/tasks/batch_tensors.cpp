#include "minnow/tasks/batch_tensors.hpp"

#include <algorithm>
#include <vector>

namespace minnow {
namespace {

std::span<const std::int32_t> part(const std::vector<std::int32_t>& all, Index first, Index count) {
  return std::span(all).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

Index sum(std::span<const std::int32_t> lengths) {
  Index total = 0;
  for (const std::int32_t length : lengths) total += length;
  return total;
}

/// Copies the first lengths[b] numbers of each row of `from`.
void copy_rows(Tensor& to, const std::vector<std::int32_t>& from, const Batch& batch, Index first, Index rows) {
  auto* at = to.mutable_data<std::int32_t>();
  for (Index row = first; row < first + rows; ++row) {
    at = std::copy_n(from.begin() + row * batch.length, batch.lengths[static_cast<std::size_t>(row)], at);
  }
}

/// The pieces of some rows, and how many lie before them.
struct Pieces {
  std::span<const std::int32_t> lengths;
  Index before = 0;
};

Pieces pieces_of(const Batch& batch, Index first, Index rows, Index tokens_before, Index tokens) {
  if (batch.pieces.empty()) return {part(batch.lengths, first, rows), first};
  const auto reach = [&](Index from, Index wanted) {  // pieces from `from` on that hold `wanted` tokens
    Index count = 0;
    for (Index held = 0; held < wanted; ++count) held += batch.pieces[static_cast<std::size_t>(from + count)];
    return count;
  };
  const Index before = reach(0, tokens_before);
  return {part(batch.pieces, before, reach(before, tokens)), before};
}

Sequences sequences_of(const Pieces& pieces, Index tokens, const Batch& batch) {
  const auto count = static_cast<Index>(pieces.lengths.size());
  // As long as there can be pieces, so that all steps with so many tokens ask for the same memory.
  const Tensor borders = Tensor::empty({std::max(tokens, count) + 1}, DType::i64);
  Sequences made{.borders = borders.as_strided({count + 1}, {1}, 0),
                 .places = Tensor::empty({1, tokens}, DType::i32),
                 .longest = batch.length};
  auto* border = made.borders.mutable_data<std::int64_t>();
  auto* place = made.places.mutable_data<std::int32_t>();
  *border = 0;
  for (const std::int32_t length : pieces.lengths) {
    for (std::int32_t i = 0; i < length; ++i) *place++ = i;
    border[1] = border[0] + length;
    ++border;
  }
  return made;
}

}  // namespace

bool has_sequences(const Batch& batch) {
  return !batch.pieces.empty() ||
         std::any_of(batch.lengths.begin(), batch.lengths.end(), [&](auto length) { return length != batch.length; });
}

BatchTensors batch_tensors(const Batch& batch, Index first, Index rows) {
  if (!has_sequences(batch)) {
    const Shape shape{rows, batch.length};
    const Index begin = first * batch.length, count = rows * batch.length;
    return {Tensor::from(part(batch.tokens, begin, count), shape),
            Tensor::from(part(batch.targets, begin, count), shape),
            {},
            first};
  }
  const Index before = sum(part(batch.lengths, 0, first));
  const Index tokens = sum(part(batch.lengths, first, rows));
  const Pieces pieces = pieces_of(batch, first, rows, before, tokens);
  BatchTensors made{Tensor::empty({1, tokens}, DType::i32), Tensor::empty({1, tokens}, DType::i32),
                    sequences_of(pieces, tokens, batch), pieces.before};
  made.sequences.first_token = before;
  copy_rows(made.tokens, batch.tokens, batch, first, rows);
  copy_rows(made.targets, batch.targets, batch, first, rows);
  return made;
}

}  // namespace minnow
