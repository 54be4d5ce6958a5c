#pragma once
/// @file
/// Tells whether the data of a run are still the ones it began with, by content and never by time stamps.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minnow {

/// One data file, or the built-in corpus, as it was read.
struct DataFile {
  std::string path;         ///< as given or found; for messages, never compared
  std::uint64_t bytes = 0;  ///< its size
  std::string sha256;       ///< of its bytes, 64 hexadecimal digits

  bool operator==(const DataFile&) const = default;
};

/// All files that a data set was read from, in the order of reading.
struct DataFingerprint {
  std::vector<DataFile> files;

  /// @return the sum of the sizes.
  [[nodiscard]] std::uint64_t bytes() const;
  /// @return one SHA-256 over sizes and digests of all files, 64 hexadecimal digits.
  [[nodiscard]] std::string digest() const;

  bool operator==(const DataFingerprint&) const = default;
};

/// Compares sizes and digests in order (a moved file is still the same file).
/// Throws: DataError that names the first difference, when `now` is not what `saved` was.
void check_same_data(const DataFingerprint& saved, const DataFingerprint& now);

}  // namespace minnow
