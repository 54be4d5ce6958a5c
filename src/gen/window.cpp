#include "gen/window.hpp"

#include <algorithm>
#include <numeric>

#include "minnow/ops/shape.hpp"

namespace minnow {
namespace {

constexpr Index kLeastCapacity = 256;  // positions; a growing cache starts with at least so many

/// Copies rows of a (B, H, capacity, D) tensor into a new one with another number of rows and positions.
Tensor gather(const Tensor& from, std::span<const Index> rows, Index length, Index capacity) {
  Shape shape = from.shape();
  shape[0] = static_cast<Index>(rows.size());
  shape[2] = capacity;
  Tensor to = Tensor::zeros(shape, from.dtype());
  for (std::size_t i = 0; length > 0 && i < rows.size(); ++i) {
    const auto row = static_cast<Index>(i);
    slice(slice(to, 0, row, row + 1), 2, 0, length)
        .copy_from(slice(slice(from, 0, rows[i], rows[i] + 1), 2, 0, length));
  }
  return to;
}

}  // namespace

Window::Window(LanguageModel& model, std::span<const std::int32_t> prompt, Index rows, Index total, bool use_cache)
    : model_(model), total_(total), use_cache_(use_cache) {
  if (!model.positions_go_on() && static_cast<Index>(prompt.size()) > model.block_size()) {
    prompt = prompt.last(static_cast<std::size_t>(model.block_size()));
  }
  sequences_.assign(static_cast<std::size_t>(rows), {prompt.begin(), prompt.end()});
}

Tensor Window::next_scores() {
  if (!model_.positions_go_on() && length() - start_ > model_.block_size()) {
    start_ = length() - std::max<Index>(1, model_.block_size() / 2);
    cache_.clear();
  }
  const Tensor scores = use_cache_ ? scores_cached() : scores_uncached();
  return scores.dtype() == DType::f32 ? scores.contiguous() : scores.to(DType::f32).contiguous();
}

void Window::append(std::span<const std::int32_t> tokens) {
  for (std::size_t i = 0; i < sequences_.size(); ++i) sequences_[i].push_back(tokens[i]);
}

void Window::keep_rows(std::span<const Index> kept) {
  std::vector<std::vector<std::int32_t>> left;
  for (const Index row : kept) left.push_back(std::move(sequences_[static_cast<std::size_t>(row)]));
  sequences_ = std::move(left);
  if (cache_rows_ == 0) return;
  gather_cache(kept, cache_.capacity);
}

/// @return (batch, length - begin) i32: the tokens of the first rows from `begin` on.
Tensor Window::tokens(Index begin, Index batch) const {
  const Index count = length() - begin;
  std::vector<std::int32_t> ids;
  ids.reserve(static_cast<std::size_t>(batch * count));
  for (Index row = 0; row < batch; ++row) {
    const auto from = sequence(row).subspan(static_cast<std::size_t>(begin));
    ids.insert(ids.end(), from.begin(), from.end());
  }
  return Tensor::from(ids, {batch, count});
}

Tensor Window::scores_uncached() {
  const Index batch = rows();
  const Tensor all = model_.logits(tokens(start_, batch), {});  // (R, N, V)
  const Index count = all.size(1);
  return reshape(slice(all, 1, count - 1, count), {batch, all.size(2)});
}

Tensor Window::scores_cached() {
  const Index window = length() - start_;
  if (cache_rows_ == 0) {  // the rows are still equal: read the prompt once, then hand its keys and values to all
    const Index capacity = model_.positions_go_on() ? std::min(total_, std::max(2 * window, kLeastCapacity))
                                                    : std::min(total_, model_.block_size());
    cache_ = model_.make_cache(1, std::max(capacity, window));
    const Tensor one = model_.decode(tokens(start_, 1), cache_);  // (1, V)
    cache_rows_ = 1;
    if (rows() == 1) return one;
    const std::vector<Index> copies(static_cast<std::size_t>(rows()), 0);
    gather_cache(copies, cache_.capacity);
    return expand(one, {rows(), one.size(1)});
  }
  if (window > cache_.capacity) {
    std::vector<Index> same(static_cast<std::size_t>(cache_rows_));
    std::iota(same.begin(), same.end(), Index{0});
    gather_cache(same, std::max(window, std::min(total_, 2 * cache_.capacity)));
  }
  return model_.decode(tokens(start_ + cache_.length, cache_rows_), cache_);
}

void Window::gather_cache(std::span<const Index> rows, Index capacity) {
  for (std::vector<Tensor>* side : {&cache_.keys, &cache_.values}) {
    for (Tensor& tensor : *side) tensor = gather(tensor, rows, cache_.length, capacity);
  }
  cache_.capacity = capacity;
  cache_rows_ = static_cast<Index>(rows.size());
}

}  // namespace minnow
