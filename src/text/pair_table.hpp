#pragma once
/// @file
/// Finds what two neighbouring tokens merge into.

#include <bit>
#include <cstdint>
#include <vector>

namespace minnow {

/// A hash table with open addressing from pairs of ids to ranks and results.
class PairTable {
 public:
  struct Entry {
    std::uint64_t key = kEmpty;
    std::uint32_t rank = kNoRank;
    std::int32_t result = -1;
  };
  /// The rank of pairs that do not merge.
  static constexpr std::uint32_t kNoRank = 0xFFFFFFFFU;

  explicit PairTable(std::size_t entries = 0)
      : slots_(std::bit_ceil(2 * entries + 2)), shift_(64 - std::countr_zero(slots_.size())) {}

  /// @return whether the pair is new; an old one keeps its rank.
  bool insert(std::int32_t left, std::int32_t right, std::uint32_t rank, std::int32_t result) {
    Entry& entry = slots_[slot_of(key_of(left, right))];
    if (entry.key != kEmpty) return false;
    entry = {key_of(left, right), rank, result};
    return true;
  }

  /// @return rank and result of a pair; kNoRank when it does not merge.
  [[nodiscard]] const Entry& find(std::int32_t left, std::int32_t right) const {
    return slots_[slot_of(key_of(left, right))];
  }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};  // no id is -1

  static std::uint64_t key_of(std::int32_t left, std::int32_t right) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32U) | static_cast<std::uint32_t>(right);
  }

  /// @return where the key stands or would stand.
  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const {
    std::size_t slot = (key * 0x9E3779B97F4A7C15U) >> static_cast<unsigned>(shift_);
    while (slots_[slot].key != key && slots_[slot].key != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  std::vector<Entry> slots_;
  int shift_;
};

}  // namespace minnow
