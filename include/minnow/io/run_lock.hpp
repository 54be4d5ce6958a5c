#pragma once
/// @file
/// Holds a run directory for one process.

#include <cstdint>
#include <filesystem>

#include "minnow/io/missing_directories.hpp"

namespace minnow {

/// The exclusive right to write in a run directory, as flock on `<run>/.lock`. The kernel frees it when the process
/// ends in whatever way (kill -9 too). The file stays (unless the lock is withdrawn); its content (pid and host of the
/// holder) is information only.
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

  /// Checks that the directory is still the one that was locked: call before writing in it. A lock file that somebody
  /// removed is made again.
  /// @throws IoError when the directory was removed, moved or replaced; BusyError when another process took it.
  void keep();
  /// Frees the lock early.
  void release() noexcept;
  /// Frees the lock and takes back what acquire() made for it: the lock file, and then the directories that are empty.
  /// For a command that refuses before it wrote anything.
  void withdraw() noexcept;
  /// @return whether this object holds a lock.
  [[nodiscard]] bool held() const { return descriptor_ >= 0; }

 private:
  explicit RunLock(int descriptor) : descriptor_(descriptor) {}
  /// Moves what `other` holds here; nothing is freed.
  void take(RunLock& other) noexcept;

  int descriptor_ = -1;
  bool made_file_ = false;
  std::filesystem::path run_dir_;
  MissingDirectories made_;
  std::uint64_t device_ = 0, inode_ = 0;  ///< of the directory
};

}  // namespace minnow
