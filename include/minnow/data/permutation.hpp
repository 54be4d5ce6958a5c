#pragma once
/// @file
/// Shuffles 0 .. n-1 by a formula: any element of the shuffled order costs O(1), so training resumes anywhere at once.

#include <array>
#include <cstdint>

namespace minnow {

/// A keyed bijection of [0, n): a balanced Feistel network of 8 rounds over the smallest even number of bits that holds
/// n, its round function Philox 4x32-10; results outside [0, n) go through it again (cycle walking; on average fewer
/// than four passes). The order depends on (seed, stream, epoch) alone.
/// Source: Luby, Rackoff 1988; Black, Rogaway, "Ciphers with Arbitrary Finite Domains", 2002.
class KeyedPermutation {
 public:
  /// @param size  n, 1 .. 2^62
  KeyedPermutation(std::uint64_t size, std::uint64_t seed, std::uint32_t stream, std::uint64_t epoch);

  /// @return the element at place `index` (< n) of the shuffled order.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t index) const;

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  [[nodiscard]] std::uint64_t encrypt(std::uint64_t value) const;

  std::uint64_t size_;
  std::uint64_t seed_;
  std::uint64_t epoch_;
  std::uint32_t stream_;
  unsigned half_bits_;
};

}  // namespace minnow
