#include "text/bpe_merger.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace minnow {
namespace {

// Up to here looking at all ranks again is faster than a heap.
constexpr std::size_t kShortPiece = 64;

std::size_t merge_short(const PairTable& pairs, std::span<std::int32_t> tokens) {
  std::size_t count = tokens.size();
  std::array<std::uint32_t, kShortPiece> ranks;
  const auto rank_at = [&](std::size_t i) { return pairs.find(tokens[i], tokens[i + 1]).rank; };
  for (std::size_t i = 0; i + 1 < count; ++i) ranks[i] = rank_at(i);
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < count; ++i) {
      if (ranks[i] < ranks[best]) best = i;
    }
    if (ranks[best] == PairTable::kNoRank) break;
    tokens[best] = pairs.find(tokens[best], tokens[best + 1]).result;
    --count;
    for (std::size_t i = best + 1; i < count; ++i) {
      tokens[i] = tokens[i + 1];
      if (i + 1 < count) ranks[i] = ranks[i + 1];
    }
    if (best + 1 < count) ranks[best] = rank_at(best);
    if (best > 0) ranks[best - 1] = rank_at(best - 1);
  }
  return count;
}

/// The tokens of a long piece as a list in which positions vanish.
class LongPiece {
 public:
  LongPiece(const PairTable& pairs, std::span<std::int32_t> tokens, MergeScratch& scratch)
      : pairs_(pairs), tokens_(tokens), scratch_(scratch), end_(static_cast<std::int32_t>(tokens.size())) {
    scratch_.ranks.assign(tokens.size(), PairTable::kNoRank);
    scratch_.next.resize(tokens.size());
    scratch_.before.resize(tokens.size());
    scratch_.waiting.clear();
    for (std::int32_t i = 0; i < end_; ++i) {
      scratch_.next[at(i)] = i + 1;
      scratch_.before[at(i)] = i - 1;
    }
    for (std::int32_t i = 0; i < end_; ++i) rank(i);
    std::make_heap(scratch_.waiting.begin(), scratch_.waiting.end(), std::greater<>());
    in_order_ = true;
  }

  std::size_t merge() {
    std::vector<std::uint64_t>& waiting = scratch_.waiting;
    while (!waiting.empty()) {
      std::pop_heap(waiting.begin(), waiting.end(), std::greater<>());
      const std::uint64_t lowest = waiting.back();
      waiting.pop_back();
      const auto position = static_cast<std::int32_t>(lowest & 0xFFFFFFFFU);
      // What changed since it was put in waits again under its new rank, or is gone.
      if (scratch_.ranks[at(position)] == lowest >> 32U) merge_at(position);
    }
    std::size_t count = 0;
    for (std::int32_t i = 0; i < end_; i = scratch_.next[at(i)]) tokens_[count++] = tokens_[at(i)];
    return count;
  }

 private:
  static std::size_t at(std::int32_t position) { return static_cast<std::size_t>(position); }

  void rank(std::int32_t position) {
    const std::int32_t next = scratch_.next[at(position)];
    std::uint32_t& rank = scratch_.ranks[at(position)];
    rank = next < end_ ? pairs_.find(tokens_[at(position)], tokens_[at(next)]).rank : PairTable::kNoRank;
    if (rank == PairTable::kNoRank) return;
    scratch_.waiting.push_back((std::uint64_t{rank} << 32U) | static_cast<std::uint32_t>(position));
    if (in_order_) std::push_heap(scratch_.waiting.begin(), scratch_.waiting.end(), std::greater<>());
  }

  void merge_at(std::int32_t position) {
    const std::int32_t gone = scratch_.next[at(position)];
    const std::int32_t next = scratch_.next[at(gone)];
    tokens_[at(position)] = pairs_.find(tokens_[at(position)], tokens_[at(gone)]).result;
    scratch_.ranks[at(gone)] = PairTable::kNoRank;
    scratch_.next[at(position)] = next;
    if (next < end_) scratch_.before[at(next)] = position;
    rank(position);
    if (const std::int32_t before = scratch_.before[at(position)]; before >= 0) rank(before);
  }

  const PairTable& pairs_;
  std::span<std::int32_t> tokens_;
  MergeScratch& scratch_;
  std::int32_t end_;
  bool in_order_ = false;  // the heap stands
};

}  // namespace

std::size_t merge_tokens(const PairTable& pairs, std::span<std::int32_t> tokens, MergeScratch& scratch) {
  if (tokens.size() <= kShortPiece) return merge_short(pairs, tokens);
  return LongPiece(pairs, tokens, scratch).merge();
}

}  // namespace minnow
