#pragma once
/// @file
/// Reads a file, standard input or a compressed file from front to back, without holding it.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace minnow {

/// A row of bytes that is read once.
class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  /// Fills the front of `target`, which has room. @return how many bytes were read; 0 only at the end.
  /// Throws: IoError when the system gives no more; DataError for compressed data that are damaged.
  virtual std::size_t read(std::span<char> target) = 0;

  /// @return bytes taken so far from the file as it lies on the disk.
  [[nodiscard]] virtual std::uint64_t consumed() const = 0;
};

/// Standard input as a path.
inline constexpr const char* kStandardInput = "-";

/// Opens a file, or standard input for "-". A name that ends in ".zst" is decompressed.
/// Throws: IoError when it cannot be opened or is a folder.
[[nodiscard]] std::unique_ptr<ByteStream> open_bytes(const std::filesystem::path& path);

/// @return what a compressed stream spells. `name` is for messages.
/// Limits: a window of at most 128 MiB (what `zstd -d` takes by itself; `--long=31` and the like are refused), and at
/// most 2'000 bytes for each compressed one beyond the first 16 MiB: text does not shrink so far, bombs do.
[[nodiscard]] std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> compressed, std::string name);

/// @return the bytes of a span as a stream (for tests and fuzzing).
[[nodiscard]] std::unique_ptr<ByteStream> stream_of(std::span<const std::byte> bytes);

}  // namespace minnow
