#pragma once
/// @file
/// Says how much memory this process may still take.

#include <cstdint>
#include <filesystem>
#include <string>

namespace minnow {

/// The narrowest of the limits that hold for this process.
struct AvailableMemory {
  std::uint64_t bytes = UINT64_MAX;  ///< may still be taken; UINT64_MAX where nothing says
  std::string source = "no limit";   ///< which limit it is, for a message
};

/// Looks at the machine (MemAvailable and free swap in /proc/meminfo), at every control group above this process
/// (version 1 and 2: limit - use + page cache that can be dropped), and at RLIMIT_AS and RLIMIT_DATA (`ulimit -v`,
/// `-d`). What cannot be read is no limit.
/// @param root where /proc and /sys are looked for; another one is for tests, and then the rlimits are left out
[[nodiscard]] AvailableMemory available_memory(const std::filesystem::path& root = "/");

/// @return bytes that what is only convenient may take: a quarter of what is available.
[[nodiscard]] std::uint64_t spare_memory();

}  // namespace minnow
