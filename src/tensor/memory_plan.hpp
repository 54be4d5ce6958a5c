#pragma once
/// @file
/// Packs the buffers of a recorded step into one block: buffers that live at the same time never share bytes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace minnow {

/// Births, deaths and sizes of a step's buffers, and the places they get. Slots are numbered by birth.
class MemoryPlan {
 public:
  void record_birth(std::size_t bytes, std::uint64_t time);
  void record_death(std::uint32_t slot, std::uint64_t time);
  /// Gives every buffer that died within the step a place: largest first, each at the lowest offset where it overlaps
  /// no buffer of its lifetime. Buffers that outlived the step get none: the heap serves them.
  void pack();

  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  [[nodiscard]] std::size_t block_bytes() const { return block_bytes_; }
  [[nodiscard]] bool expects(std::uint32_t slot, std::size_t bytes) const {
    return slot < slots_.size() && slots_[slot].bytes == bytes;
  }
  [[nodiscard]] std::optional<std::size_t> offset(std::uint32_t slot) const { return slots_[slot].offset; }
  /// @return earlier slots that share bytes with this one: all must be dead before the place is handed out.
  [[nodiscard]] const std::vector<std::uint32_t>& earlier_tenants(std::uint32_t slot) const {
    return slots_[slot].earlier_tenants;
  }

 private:
  struct Slot {
    std::size_t bytes = 0;
    std::uint64_t birth = 0;
    std::optional<std::uint64_t> death;
    std::optional<std::size_t> offset;
    std::vector<std::uint32_t> earlier_tenants;
  };
  static std::size_t padded(std::size_t bytes);

  std::vector<Slot> slots_;
  std::size_t block_bytes_ = 0;
};

}  // namespace minnow
