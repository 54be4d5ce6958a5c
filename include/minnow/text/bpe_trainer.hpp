#pragma once
/// @file
/// Learns a byte-level byte-pair encoding from texts.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/text/bpe_model.hpp"

namespace minnow {

/// What to learn.
struct BpeTraining {
  std::int64_t vocab_size = 4096;  ///< tokens at most: special ones, 256 bytes and merges
  std::int64_t min_frequency = 2;  ///< pairs that are rarer do not merge
  SplitPattern pattern = SplitPattern::kGpt2;
  std::vector<std::string> special{};  ///< take the first ids, in this order; where they stand in a text it is cut
  /// Hears how far it is, as a share of 0 .. 1 of each of two stages: 0 = counting words, 1 = merging.
  std::function<void(int stage, double share)> progress{};
};

/// Counts the pieces of all texts, then merges the most frequent pair of tokens again and again; among equal counts the
/// pair whose byte strings are greater (the left one first, bytes compared as numbers). The result depends on the texts
/// alone: not on the number of threads, nor on how they are cut into files at pieces' borders.
/// @return special tokens, then the 256 bytes in the order of their stand-ins' code points, then a token for each
/// merge. Throws: ConfigError when vocab_size has no room for the special tokens and bytes, or these repeat; DataError
/// when the texts are empty or all white space.
[[nodiscard]] BpeModel train_bpe(std::span<const std::string_view> texts, const BpeTraining& training);

}  // namespace minnow
