#pragma once
/// @file
/// A set of hashes of bounded size: when it is full, every second one is dropped, by a bit of the hash itself.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minnow {

/// Keeps hashes with a value each. A hash that is_sampled() was either always looked at or never: what is said of the
/// sample is said of 1 in rate() of everything.
template <class Value>
class HashSample {
 public:
  struct Slot {
    std::uint64_t hash = 0;  // 0: empty
    Value value{};
  };

  /// @param most  hashes that are kept at most
  explicit HashSample(std::size_t most) : most_(most), slots_(kFirstSlots), bits_(kFirstSlots * kBitsPerSlot / 64) {}

  /// @return false where the hash is surely not kept: most questions end here, in bits that stay in the cache, and wait
  /// for no line of the large table. (There are 16 bits or more for each hash: at most one of 16 others is let
  /// through.)
  [[nodiscard]] bool may_hold(std::uint64_t hash) const {
    const std::size_t bit = bit_of(hash);
    return (bits_[bit / 64] >> (bit % 64) & 1U) != 0;
  }

  [[nodiscard]] bool is_sampled(std::uint64_t hash) const { return (hash & (rate_ - 1)) == 0; }
  /// @return how many different hashes stand for one that is kept.
  [[nodiscard]] std::int64_t rate() const { return static_cast<std::int64_t>(rate_); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }

  /// @return the value of a hash that is kept, or null.
  [[nodiscard]] Value* find(std::uint64_t hash) {
    Slot& slot = slots_[place(slots_, hash)];
    return slot.hash == 0 ? nullptr : &slot.value;
  }

  /// Adds a hash that is_sampled and was not found.
  void add(std::uint64_t hash, const Value& value) {
    if (2 * (size_ + 1) > slots_.size()) make_room();
    if (!is_sampled(hash)) return;  // the rate may have changed
    slots_[place(slots_, hash)] = {hash, value};
    mark(hash);
    ++size_;
  }

 private:
  static constexpr std::size_t kFirstSlots = 1U << 12;
  static constexpr std::size_t kBitsPerSlot = 8;

  [[nodiscard]] std::size_t bit_of(std::uint64_t hash) const {
    return static_cast<std::size_t>(hash >> 20U) & (64 * bits_.size() - 1);
  }

  void mark(std::uint64_t hash) {
    const std::size_t bit = bit_of(hash);
    bits_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }

  static std::size_t place(const std::vector<Slot>& slots, std::uint64_t hash) {
    // The low bits are the sample's; the high ones, well mixed, choose the slot.
    std::size_t at = static_cast<std::size_t>((hash * 0x9E3779B97F4A7C15ULL) >> 20U) & (slots.size() - 1);
    while (slots[at].hash != 0 && slots[at].hash != hash) at = (at + 1) & (slots.size() - 1);
    return at;
  }

  void make_room() {
    while (size_ >= most_) rebuild(slots_.size(), rate_ * 2);
    if (2 * (size_ + 1) > slots_.size()) rebuild(2 * slots_.size(), rate_);
  }

  void rebuild(std::size_t slots, std::uint64_t rate) {
    std::vector<Slot> old(slots);
    old.swap(slots_);
    bits_.assign(slots * kBitsPerSlot / 64, 0);
    rate_ = rate;
    size_ = 0;
    for (const Slot& slot : old) {
      if (slot.hash == 0 || !is_sampled(slot.hash)) continue;
      slots_[place(slots_, slot.hash)] = slot;
      mark(slot.hash);
      ++size_;
    }
  }

  std::size_t most_;
  std::vector<Slot> slots_;  // a power of two of them
  std::vector<std::uint64_t> bits_;
  std::size_t size_ = 0;
  std::uint64_t rate_ = 1;
};

}  // namespace minnow
