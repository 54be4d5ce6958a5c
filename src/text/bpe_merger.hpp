#pragma once
/// @file
/// Merges the tokens of one piece of text, lowest rank first and leftmost among equals.

#include <cstdint>
#include <span>
#include <vector>

#include "text/pair_table.hpp"

namespace minnow {

/// Working memory of one thread.
struct MergeScratch {
  std::vector<std::uint32_t> ranks{};    // of the pair that begins at a position
  std::vector<std::int32_t> next{};      // the next position that is still a token
  std::vector<std::int32_t> before{};    // the one before
  std::vector<std::uint64_t> waiting{};  // a heap of rank and position
};

/// Merges `tokens` in place. Short pieces are searched for their lowest rank again and again; long ones keep a heap, so
/// that n tokens take O(n log n). @return how many are left, at the front.
[[nodiscard]] std::size_t merge_tokens(const PairTable& pairs, std::span<std::int32_t> tokens, MergeScratch& scratch);

}  // namespace minnow
