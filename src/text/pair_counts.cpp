#include "text/pair_counts.hpp"

#include <utility>

namespace minnow {
namespace {

constexpr std::uint32_t kFreeSlot = 0xFFFFFFFFU;

std::size_t pair_hash(std::int32_t left, std::int32_t right) {
  const std::uint64_t key =
      (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32U) | static_cast<std::uint32_t>(right);
  return (key * 0x9E3779B97F4A7C15U) >> 20U;
}

}  // namespace

PairCounts::PairCounts(const WordCounts& words, const Spell& spell) : slots_(1024, kFreeSlot) {
  for (const WordCounts::Word& word : words.words()) {
    const std::size_t begin = tokens_.size();
    spell(word.bytes, tokens_);
    if (tokens_.size() - begin < 2) {
      tokens_.resize(begin);
      continue;
    }
    words_.push_back({begin, static_cast<std::uint32_t>(tokens_.size() - begin), word.count});
  }
  for (std::uint32_t i = 0; i < words_.size(); ++i) {
    const std::size_t begin = words_[i].begin;
    for (std::size_t k = 0; k + 1 < words_[i].size; ++k) more(tokens_[begin + k], tokens_[begin + k + 1], i);
  }
  risen_.clear();
}

std::size_t PairCounts::index_of(std::int32_t left, std::int32_t right) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = pair_hash(left, right) & mask;
  for (; slots_[slot] != kFreeSlot; slot = (slot + 1) & mask) {
    const Pair& pair = pairs_[slots_[slot]];
    if (pair.left == left && pair.right == right) return slots_[slot];
  }
  const std::size_t index = pairs_.size();
  slots_[slot] = static_cast<std::uint32_t>(index);
  pairs_.push_back({.left = left, .right = right});
  if (2 * pairs_.size() > slots_.size()) grow();
  return index;
}

void PairCounts::grow() {
  slots_.assign(2 * slots_.size(), kFreeSlot);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    std::size_t slot = pair_hash(pairs_[i].left, pairs_[i].right) & mask;
    while (slots_[slot] != kFreeSlot) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(i);
  }
}

void PairCounts::more(std::int32_t left, std::int32_t right, std::uint32_t word) {
  const std::size_t index = index_of(left, right);
  Pair& pair = pairs_[index];
  pair.count += words_[word].count;
  if (pair.words.empty() || pair.words.back() != word) pair.words.push_back(word);
  if (pair.changed_at == merges_) return;
  pair.changed_at = merges_;
  risen_.push_back(index);
}

void PairCounts::fewer(std::int32_t left, std::int32_t right, std::int64_t count) {
  pairs_[index_of(left, right)].count -= count;
}

void PairCounts::merge_in(std::uint32_t index, std::int32_t left, std::int32_t right, std::int32_t merged) {
  Word& word = words_[index];
  std::int32_t* const tokens = tokens_.data() + word.begin;
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < word.size; ++i) {
    if (i + 1 == word.size || tokens[i] != left || tokens[i + 1] != right) {
      tokens[kept++] = tokens[i];
      continue;
    }
    // What stands before was merged already, what stands behind was not yet.
    if (kept > 0) {
      fewer(tokens[kept - 1], left, word.count);
      more(tokens[kept - 1], merged, index);
    }
    if (i + 2 < word.size) {
      fewer(right, tokens[i + 2], word.count);
      more(merged, tokens[i + 2], index);
    }
    tokens[kept++] = merged;
    ++i;
  }
  word.size = kept;
}

const std::vector<std::size_t>& PairCounts::merge(std::size_t index, std::int32_t merged) {
  ++merges_;
  risen_.clear();
  const std::int32_t left = pairs_[index].left, right = pairs_[index].right;
  const std::vector<std::uint32_t> words = std::exchange(pairs_[index].words, {});
  for (const std::uint32_t word : words) merge_in(word, left, right, merged);
  pairs_[index].count = 0;  // (of "aaa", two pairs overlap and one merges)
  return risen_;
}

}  // namespace minnow
