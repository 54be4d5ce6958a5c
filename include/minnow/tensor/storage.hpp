#pragma once
/// @file
/// Owns the bytes of one or more tensors, taken from the heap or from the arena of the running step.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace minnow {

class StepArena;

/// A block of memory that tensors and their views share. Not thread-safe: storages are made and dropped by the thread
/// that drives the step; kernels only see pointers into them.
class Storage {
 public:
  /// Takes memory from the running StepArena step if there is one, else from the heap, aligned to 64 bytes (2 MiB and
  /// huge pages for large blocks). The bytes are not initialised. Throws: MemoryError with the size asked for.
  static std::shared_ptr<Storage> allocate(std::size_t bytes);

  explicit Storage(std::size_t bytes);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Counts writes: backward compares it with the count at the time of saving, so that a tensor changed in between is
  /// an error instead of a wrong gradient.
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
  void bump_version() noexcept { ++version_; }

 private:
  friend class StepArena;

  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint64_t version_ = 0;
  StepArena* home_ = nullptr;  // set while the arena wants to hear of the death of this storage
  std::uint32_t slot_ = 0;     // which allocation of the step this was
  bool in_arena_ = false;      // data_ points into the arena's block
};

/// Takes memory straight from the heap. @return never null. Throws: MemoryError.
std::byte* heap_allocate(std::size_t bytes);
void heap_free(std::byte* data) noexcept;

}  // namespace minnow
