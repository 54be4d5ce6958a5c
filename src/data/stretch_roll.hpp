#pragma once
/// @file
/// Hashes every stretch of kLeakBytes bytes of a text that comes in pieces.

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "minnow/data/check.hpp"

namespace minnow {

/// A polynomial hash that moves along: a stretch gets the same one wherever it stands.
class StretchRoll {
 public:
  /// The text that is given next is no continuation.
  void begin_text() { carried_.clear(); }

  /// Calls `take(hash, stretch, place)` for each stretch that ends in `text` and that `is_wanted(hash)`. @param place
  /// where its bytes are counted from
  template <class Wanted, class Take>
  void roll(std::string_view text, std::int64_t place, const Wanted& is_wanted, const Take& take) {
    static const std::uint64_t leaving = power_of_base(kLeakBytes);
    place -= static_cast<std::int64_t>(carried_.size());
    carried_ += text;
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < carried_.size(); ++i) {
      hash = hash * kRollBase + static_cast<unsigned char>(carried_[i]) + 1;
      if (i >= kLeakBytes) hash -= leaving * (static_cast<unsigned char>(carried_[i - kLeakBytes]) + 1ULL);
      if (i + 1 < kLeakBytes) continue;
      const std::size_t begin = i + 1 - kLeakBytes;
      const std::uint64_t key = mixed(hash);
      if (is_wanted(key))
        take(key, std::string_view(carried_).substr(begin, kLeakBytes), place + static_cast<std::int64_t>(begin));
    }
    if (carried_.size() >= kLeakBytes) carried_.erase(0, carried_.size() - (kLeakBytes - 1));
  }

  /// @return whether a stretch has 12 different bytes: rules of dashes and blanks may stand in two texts.
  [[nodiscard]] static bool says_something(std::string_view stretch) {
    constexpr std::size_t kFewestBytes = 12;
    std::bitset<256> bytes;
    for (const char c : stretch) bytes.set(static_cast<unsigned char>(c));
    return bytes.count() >= kFewestBytes;
  }

 private:
  static constexpr std::uint64_t kRollBase = 0x9E3779B97F4A7C15ULL;

  static std::uint64_t power_of_base(std::size_t exponent) {
    std::uint64_t power = 1;
    for (std::size_t i = 0; i < exponent; ++i) power *= kRollBase;
    return power;
  }

  /// The last steps of MurmurHash3: all bits depend on all bits. Never 0.
  static std::uint64_t mixed(std::uint64_t x) {
    x ^= x >> 33U;
    x *= 0xFF51AFD7ED558CCDULL;
    x ^= x >> 33U;
    x *= 0xC4CEB9FE1A85EC53ULL;
    x ^= x >> 33U;
    return x == 0 ? std::uint64_t{1} << 63U : x;
  }

  std::string carried_;  // the last kLeakBytes - 1 bytes before the text that comes next
};

}  // namespace minnow
