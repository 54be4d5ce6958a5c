#pragma once
/// @file
/// Finds what is not valid UTF-8, and U+0000, in a file, by its place in the file itself.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace minnow {

/// What was found.
struct EncodingScan {
  bool read = false;  ///< the file is plain text that was looked at
  std::int64_t errors = 0;
  std::vector<std::string> places;  ///< `file:LINE: byte N (0xE9)` of the first ones
  std::int64_t nulls = 0;           ///< U+0000
  std::vector<std::string> null_places;
};

/// Looks at a file of plain text; .jsonl and compressed files are left to their readers (`read` is then false).
/// Throws: IoError.
[[nodiscard]] EncodingScan scan_encoding(const std::filesystem::path& path, std::size_t most_places);

}  // namespace minnow
