#pragma once
/// @file
/// Holds what one pass of the model reads: token ids, what to predict at each position, and what counts.

#include <cstdint>
#include <vector>

namespace minnow {

/// Target of a position that is not predicted: padding. Such a position has token 0 as input.
inline constexpr std::int32_t kIgnoredTarget = -100;

/// B rows of T positions. Row b predicts at its first lengths[b] positions; the others are padding at its end, so under
/// a causal mask nothing that counts ever attends to padding.
struct Batch {
  std::int64_t rows = 0;              ///< B
  std::int64_t length = 0;            ///< T of this batch; at most the block size
  std::vector<std::int32_t> tokens;   ///< (B, T) inputs
  std::vector<std::int32_t> targets;  ///< (B, T) the next token, or kIgnoredTarget
  std::vector<std::int32_t> lengths;  ///< (B) positions that count, 1 .. T
  /// Lengths of the pieces that attend to themselves alone, row by row: those of a row sum to its length. Empty: each
  /// row is one piece.
  std::vector<std::int32_t> pieces;
  std::vector<std::int64_t> samples;  ///< (B) which window: its number in the split, or its offset when order = random
                                      ///< draws any offset of a stream
  std::vector<std::int64_t> offsets;  ///< (B) position of the row's first token in the split's token stream
  std::int64_t counted = 0;           ///< targets that are not kIgnoredTarget in these rows
  std::int64_t counted_in_step = 0;  ///< the same over all rows of the step (the global batch); = counted in evaluation
};

}  // namespace minnow
