#pragma once
/// @file
/// Keeps how often each pair of neighbouring tokens stands in the words, and where.

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "text/word_counts.hpp"

namespace minnow {

/// The words of a training as tokens, and the pairs in them. A merge changes only the words that hold the pair and only
/// the counts of the pairs beside it.
class PairCounts {
 public:
  struct Pair {
    std::int32_t left = 0, right = 0;
    std::int64_t count = 0;
    std::vector<std::uint32_t> words{};  // those that hold it, and some that did
    std::int64_t changed_at = -1;        // the last merge that changed the count
  };

  using Spell = std::function<void(std::string_view word, std::vector<std::int32_t>& ids)>;

  /// @param spell  appends the tokens of a word
  PairCounts(const WordCounts& words, const Spell& spell);

  [[nodiscard]] const Pair& pair(std::size_t index) const { return pairs_[index]; }
  [[nodiscard]] std::size_t size() const { return pairs_.size(); }

  /// Replaces a pair by the token `merged` in all words. @return indices of the pairs that became more frequent.
  const std::vector<std::size_t>& merge(std::size_t index, std::int32_t merged);

 private:
  struct Word {
    std::size_t begin;   // of its tokens in tokens_
    std::uint32_t size;  // tokens
    std::int64_t count;
  };

  std::size_t index_of(std::int32_t left, std::int32_t right);
  void grow();
  void more(std::int32_t left, std::int32_t right, std::uint32_t word);
  void fewer(std::int32_t left, std::int32_t right, std::int64_t count);
  void merge_in(std::uint32_t index, std::int32_t left, std::int32_t right, std::int32_t merged);

  std::vector<std::int32_t> tokens_;
  std::vector<Word> words_;
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> slots_;  // indices of pairs, by hash
  std::vector<std::size_t> risen_;
  std::int64_t merges_ = 0;
};

}  // namespace minnow
