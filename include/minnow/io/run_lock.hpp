#pragma once
/// @file
/// Holds a run directory for one process.

#include <filesystem>

namespace minnow {

/// The exclusive right to write in a run directory, as flock on `<run>/.lock`. The kernel frees it when the process
/// ends in whatever way (kill -9 too). The file stays; its content (pid and host of the holder) is information only.
class RunLock {
 public:
  /// Takes the lock at once or not at all; creates the directory if needed.
  /// @throws BusyError naming pid and host of the holder; IoError if the lock file cannot be made.
  [[nodiscard]] static RunLock acquire(const std::filesystem::path& run_dir);
  ~RunLock();
  RunLock(RunLock&& other) noexcept;
  RunLock& operator=(RunLock&& other) noexcept;
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  /// Frees the lock early.
  void release() noexcept;
  /// @return whether this object holds a lock.
  [[nodiscard]] bool held() const { return descriptor_ >= 0; }

 private:
  explicit RunLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

}  // namespace minnow
