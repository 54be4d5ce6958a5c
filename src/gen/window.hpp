#pragma once
/// @file
/// Keeps the sequences of a batch, and scores their next tokens with or without a key/value cache.

#include <cstdint>
#include <span>
#include <vector>

#include "minnow/models/language_model.hpp"

namespace minnow {

/// Sequences of equal length that grow by one token a step, and the part of them that the model reads.
class Window {
 public:
  /// @param prompt what all rows begin with. @param total length that the sequences can reach
  Window(LanguageModel& model, std::span<const std::int32_t> prompt, Index rows, Index total, bool use_cache);

  /// @return (rows, V) f32: row r scores the next token of row r.
  [[nodiscard]] Tensor next_scores();

  /// Appends one token to every row.
  void append(std::span<const std::int32_t> tokens);

  /// Keeps the rows listed (ascending), which become rows 0, 1, ...
  void keep_rows(std::span<const Index> kept);

  [[nodiscard]] Index rows() const { return static_cast<Index>(sequences_.size()); }
  /// @return tokens per row.
  [[nodiscard]] Index length() const { return static_cast<Index>(sequences_.front().size()); }
  [[nodiscard]] std::span<const std::int32_t> sequence(Index row) const {
    return sequences_[static_cast<std::size_t>(row)];
  }

 private:
  [[nodiscard]] Tensor tokens(Index begin, Index batch) const;
  [[nodiscard]] Tensor scores_uncached();
  [[nodiscard]] Tensor scores_cached();
  void gather_cache(std::span<const Index> rows, Index capacity);

  LanguageModel& model_;
  std::vector<std::vector<std::int32_t>> sequences_;
  Index start_ = 0;  // first position of the window
  Index total_ = 0;
  bool use_cache_ = true;
  KeyValueCache cache_;
  Index cache_rows_ = 0;  // 0: no cache yet
};

}  // namespace minnow
