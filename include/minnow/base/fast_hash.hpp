#pragma once
/// @file
/// Computes fast 64-bit fingerprints that find accidents (a changed file, a different buffer), not forgeries.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace minnow {

/// @return the XXH3 64-bit hash of `bytes` with `seed`; the same on every machine.
/// Source: xxHash 0.8 (its output is frozen since 0.8.0). For anything that must withstand intent use Sha256.
[[nodiscard]] std::uint64_t fast_hash(std::span<const std::byte> bytes, std::uint64_t seed = 0);

/// Reads a file in pieces of 1 MiB.
/// @return the XXH3 64-bit hash of the file's bytes, equal to fast_hash of the whole content with seed 0.
/// @throws IoError if the file cannot be opened or read.
[[nodiscard]] std::uint64_t fast_file_hash(const std::filesystem::path& path);

}  // namespace minnow
