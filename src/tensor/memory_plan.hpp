#pragma once
/// @file
/// Packs the buffers of a recorded step into one block: buffers that live at the same time never share bytes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace minnow {

/// Births, deaths and sizes of a step's buffers, and the places they get. Slots are numbered by birth, and time is
/// counted in births: two buffers live together when the younger one is born before the older one dies.
class MemoryPlan {
 public:
  /// The next slot begins to live.
  void record_birth(std::size_t bytes);
  void record_death(std::uint32_t slot);
  /// Gives every buffer that died within the step a place: largest first, each at the lowest offset where it overlaps
  /// no buffer of its lifetime. Buffers that outlived the step get none: the heap serves them.
  /// Cost: n slots take n log n searches, each in the few ranges that are taken at a time (lifetime_map.hpp).
  void pack();

  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  [[nodiscard]] std::size_t block_bytes() const { return block_bytes_; }
  /// @param or_less whether a smaller buffer may have the place too
  [[nodiscard]] bool expects(std::uint32_t slot, std::size_t bytes, bool or_less) const {
    return slot < slots_.size() && (slots_[slot].bytes == bytes || (or_less && bytes < slots_[slot].bytes));
  }
  [[nodiscard]] std::optional<std::size_t> offset(std::uint32_t slot) const { return slots_[slot].offset; }

  /// @return bytes of a place for a buffer: whole cache lines, at least one, so that no two places are the same.
  [[nodiscard]] static std::size_t padded(std::size_t bytes);

 private:
  struct Slot {
    std::size_t bytes = 0;
    std::optional<std::uint32_t> death;  // slots born before it
    std::optional<std::size_t> offset;
  };

  std::vector<Slot> slots_;
  std::size_t block_bytes_ = 0;
};

}  // namespace minnow
