#pragma once
/// @file
/// The manifest of a checkpoint: size and SHA-256 of every file and section, and of itself.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minnow {

/// Consecutive bytes of a file that carry one name: a tensor, a header.
struct Section {
  std::string name;
  std::uint64_t begin = 0;  ///< first byte in the file
  std::uint64_t end = 0;    ///< one past the last
  std::string sha256;       ///< 64 lower-case hexadecimal digits
};

/// One file of a checkpoint. The sections follow each other without gap from 0 to `bytes`.
struct FileRecord {
  std::string name;  ///< plain file name: no separator, not "." or "..", not "manifest.json"
  std::uint64_t bytes = 0;
  std::string sha256;
  std::vector<Section> sections;
};

/// What manifest.json says.
struct Manifest {
  std::int64_t step = 0;
  std::vector<FileRecord> files;  ///< in the order in which they were written

  /// @return the record of that file, or nullptr.
  [[nodiscard]] const FileRecord* find(std::string_view name) const;
  /// @return the sum of the sizes of all files.
  [[nodiscard]] std::uint64_t total_bytes() const;
};

/// @return the JSON text; its last value is the SHA-256 of all bytes before it. The same manifest gives the same bytes.
[[nodiscard]] std::string manifest_text(const Manifest& manifest);

/// Reads a manifest back. Every bit counts: the text must be exactly what manifest_text gives.
/// @param who names the file in messages
/// @throws CheckpointError if any bit differs from what was written or a rule is broken.
[[nodiscard]] Manifest parse_manifest(std::string_view text, std::string_view who);

/// @return whether `name` may be a file of a checkpoint: 1 to 200 characters of A-Z a-z 0-9 . _ -, not starting with
/// a dot, and not "manifest.json".
[[nodiscard]] bool valid_file_name(std::string_view name);

}  // namespace minnow
