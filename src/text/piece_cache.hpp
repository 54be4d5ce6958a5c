#pragma once
/// @file
/// Remembers the ids of short pieces of text: most words of a text are words that stood there before.

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace minnow {

/// A table with one place for each hash; the newest piece stays. For one thread at a time.
class PieceCache {
 public:
  static constexpr std::size_t kMaxBytes = 22;
  static constexpr std::size_t kMaxIds = 10;

  /// One cache line.
  struct alignas(64) Slot {
    std::array<char, kMaxBytes> bytes;
    std::uint8_t length;  // 0: empty
    std::uint8_t count;
    std::array<std::int32_t, kMaxIds> ids;

    [[nodiscard]] bool holds(std::string_view piece) const {
      return length == piece.size() && std::memcmp(bytes.data(), piece.data(), piece.size()) == 0;
    }
    void keep(std::string_view piece, std::span<const std::int32_t> tokens) {
      std::memcpy(bytes.data(), piece.data(), piece.size());
      length = static_cast<std::uint8_t>(piece.size());
      count = static_cast<std::uint8_t>(tokens.size());
      std::memcpy(ids.data(), tokens.data(), tokens.size_bytes());
    }
  };
  static_assert(sizeof(Slot) == 64);

  PieceCache() : slots_(kSlots) {}

  /// @return the only place where the piece (1 .. kMaxBytes bytes) can be.
  [[nodiscard]] Slot& slot(std::string_view piece) { return slots_[hash(piece) >> (64U - kSlotBits)]; }

 private:
  static constexpr unsigned kSlotBits = 15;  // 2 MiB
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;

  template <class Word>
  static std::uint64_t word_at(const char* bytes) {
    Word word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
  }

  static std::uint64_t hash(std::string_view piece) {
    const char* const bytes = piece.data();
    const std::size_t n = piece.size();
    std::uint64_t low = 0, high = n;
    if (n >= 8) {
      low = word_at<std::uint64_t>(bytes);
      high += word_at<std::uint64_t>(bytes + n - 8) * 0xC2B2AE3D27D4EB4FU;
      if (n > 16) low ^= word_at<std::uint64_t>(bytes + 8) * 0x165667B19E3779F9U;
    } else if (n >= 4) {
      low = word_at<std::uint32_t>(bytes);
      high += word_at<std::uint32_t>(bytes + n - 4) << 32U;
    } else {
      low = static_cast<std::uint8_t>(bytes[0]) | (word_at<std::uint8_t>(bytes + n / 2) << 8U) |
            (word_at<std::uint8_t>(bytes + n - 1) << 16U);
    }
    low = (low ^ (high >> 32U)) * 0x9E3779B97F4A7C15U;
    return (low ^ (low >> 29U) ^ high) * 0xBF58476D1CE4E5B9U;
  }

  std::vector<Slot> slots_;
};

}  // namespace minnow
