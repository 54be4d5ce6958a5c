#pragma once
/// @file
/// Merges pairs of tokens by how often they stand beside each other.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/text/bpe_model.hpp"
#include "text/word_counts.hpp"

namespace minnow {

/// What merging begins with, and what two tokens make.
struct MergeStart {
  std::vector<std::string> names;  ///< by id
  bool older_first = false;        ///< which pair merges of those of equal count: see learn_merges
  /// Appends the tokens of a word; none: the word does not count.
  std::function<void(std::string_view word, std::vector<std::int32_t>& ids)> spell;
  std::function<std::string(const std::string& left, const std::string& right)> join;
  std::function<bool(const std::string& name)> taken;  ///< whether no token may be called so
};

struct LearnedMerges {
  std::vector<std::string> names;  ///< by id
  std::vector<BpeMerge> merges;
};

/// Merges the most frequent pair again and again; among equal counts the pair whose names are greater, the left one
/// first, bytes compared as numbers; with `older_first` the pair whose ids are lower, the left one first.
/// @param vocab_size  tokens at most @param min_frequency  rarer pairs do not merge
/// @param progress  hears a share of 0 .. 1; may be empty
[[nodiscard]] LearnedMerges learn_merges(const WordCounts& words, MergeStart start, std::int64_t vocab_size,
                                         std::int64_t min_frequency, const std::function<void(double)>& progress);

/// Throws: DataError when all texts are empty or white space.
void require_content(std::span<const std::string_view> texts);

}  // namespace minnow
