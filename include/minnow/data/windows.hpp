#pragma once
/// @file
/// Says which stretches of a token stream are training or evaluation windows.

#include <cstdint>
#include <vector>

namespace minnow {

/// Short documents in windows.
enum class Packing {
  kPad,   ///< one document (or one part of a long one) a window, the rest is padding
  kPack,  ///< as many whole neighbours as fit, one after the other; what is left is padding
};

/// `length` inputs from `offset` on; the targets are the same stretch one token later.
struct Window {
  std::int64_t offset = 0;
  std::int64_t length = 0;

  bool operator==(const Window&) const = default;
};

/// A list of windows: a formula for streams, a table for documents. Windows never overlap.
class WindowSet {
 public:
  WindowSet() = default;

  /// Windows at 0, T, 2T, ... of a stream, every token but the first a target exactly once: ceil((n - 1) / T) windows,
  /// the last one shorter.
  /// @param tokens  n
  /// @param block_size  T
  [[nodiscard]] static WindowSet of_stream(std::int64_t tokens, std::int64_t block_size);

  /// As of_stream without the last short window: floor((n - 1) / T) windows of T.
  [[nodiscard]] static WindowSet of_full_blocks(std::int64_t tokens, std::int64_t block_size);

  /// Documents that lie one after the other, `lengths[i]` inputs each. One longer than T is cut into consecutive
  /// windows. Every input is in exactly one window, and no window is empty.
  [[nodiscard]] static WindowSet of_documents(const std::vector<std::int64_t>& lengths, std::int64_t block_size,
                                              Packing packing);

  /// @return the number of windows.
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  /// @return window `index` (0 <= index < count()).
  [[nodiscard]] Window at(std::int64_t index) const;
  /// @return the sum of the lengths: targets that count.
  [[nodiscard]] std::int64_t total_length() const noexcept { return total_; }
  /// @return the largest length.
  [[nodiscard]] std::int64_t longest() const noexcept { return longest_; }

 private:
  std::int64_t count_ = 0;
  std::int64_t total_ = 0;
  std::int64_t longest_ = 0;
  std::int64_t stride_ = 0;            // > 0: a stream
  std::vector<std::int64_t> offsets_;  // otherwise: start of each window
  std::vector<std::int32_t> lengths_;
};

}  // namespace minnow
