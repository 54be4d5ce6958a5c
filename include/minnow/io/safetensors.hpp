#pragma once
/// @file
/// Reads and writes safetensors files: named tensors as raw bytes behind a JSON header.
///
/// Layout: u64 little-endian N, N bytes of JSON, data. The reader is stricter than the reference in one point: a
/// tensor name that stands twice is refused. Limits: header 100 000 000 bytes, 16 dimensions, depth 64, one text 4 MiB,
/// 10 000 metadata fields; memory at most 4 times the file plus 16 MiB.
/// Source: https://github.com/huggingface/safetensors (README, section "Format").

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/io/file.hpp"

namespace minnow {

/// Largest header that readers of the format accept, in bytes.
inline constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;
/// Most dimensions of a tensor in a file.
inline constexpr std::size_t kMaxFileRank = 16;

/// Element types of the format.
enum class FileDtype : std::uint8_t {
  kBool,
  kF4,
  kF6E2m3,
  kF6E3m2,
  kU8,
  kI8,
  kF8E5m2,
  kF8E4m3,
  kF8E8m0,
  kF8E4m3Fnuz,
  kF8E5m2Fnuz,
  kI16,
  kU16,
  kF16,
  kBf16,
  kI32,
  kU32,
  kF32,
  kC64,
  kF64,
  kI64,
  kU64,
};

/// @return bits of one element (BOOL 8, F4 4, F6 6, ...).
[[nodiscard]] unsigned dtype_bits(FileDtype dtype);
/// @return the name in the file, such as "BF16".
[[nodiscard]] std::string_view dtype_name(FileDtype dtype);
/// @return the dtype of that exact name, or nothing.
[[nodiscard]] std::optional<FileDtype> dtype_from_name(std::string_view name);
/// @return bytes of a tensor of this dtype and shape, or nothing if that overflows, a dimension is negative or the bits
/// do not fill whole bytes.
[[nodiscard]] std::optional<std::uint64_t> tensor_bytes(FileDtype dtype, std::span<const std::int64_t> shape);

/// One tensor of a file.
struct TensorEntry {
  std::string name;
  FileDtype dtype = FileDtype::kF32;
  std::vector<std::int64_t> shape;  ///< row-major; [] is a scalar
  std::uint64_t begin = 0;          ///< first byte, counted from the start of the FILE
  std::uint64_t end = 0;            ///< one past the last byte, counted from the start of the FILE

  [[nodiscard]] std::uint64_t bytes() const { return end - begin; }
};

/// Everything a file says before its data.
struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;             ///< in the order of their bytes
  std::map<std::string, std::string> metadata;  ///< the `__metadata__` field
  std::uint64_t data_begin = 0;                 ///< bytes before the data: 8 + N

  /// @return the tensor of that name, or nullptr.
  [[nodiscard]] const TensorEntry* find(std::string_view name) const;

  std::vector<std::uint32_t> by_name;  ///< positions in `tensors`, sorted by name (what find searches)
};

/// Checks and reads the header of a file of `file_bytes` bytes of which `prefix` holds at least the first 8 + N (or
/// all, if it is shorter).
/// @param who names the file in messages
/// @throws CheckpointError saying which rule is broken and where.
[[nodiscard]] SafetensorsHeader parse_safetensors_header(std::span<const std::byte> prefix, std::uint64_t file_bytes,
                                                         std::string_view who);

/// A safetensors file or buffer open for reading.
class SafetensorsFile {
 public:
  /// Reads the header only; tensors are read when asked for. @throws IoError, CheckpointError
  [[nodiscard]] static SafetensorsFile open(const std::filesystem::path& path);
  /// Reads from bytes that must outlive the object. @throws CheckpointError
  [[nodiscard]] static SafetensorsFile from_bytes(std::span<const std::byte> bytes, std::string_view who = "buffer");

  [[nodiscard]] const SafetensorsHeader& header() const { return header_; }
  /// @return the tensor of that name. @throws CheckpointError naming the file and the nearest facts if there is none.
  [[nodiscard]] const TensorEntry& at(std::string_view name) const;
  /// Copies a tensor's bytes (little-endian) into `target`, which must have exactly `entry.bytes()` bytes.
  /// @throws IoError if the file shrank or cannot be read.
  void read(const TensorEntry& entry, std::span<std::byte> target) const;
  /// Copies the bytes of a tensor from its byte `offset` on: for tensors that may be larger than the memory.
  /// @throws IoError if the file shrank or cannot be read; ShapeError if the part is not inside the tensor.
  void read_part(const TensorEntry& entry, std::uint64_t offset, std::span<std::byte> target) const;
  /// @return a tensor's bytes in a new buffer.
  [[nodiscard]] std::vector<std::byte> read(const TensorEntry& entry) const;

 private:
  SafetensorsFile() = default;

  std::string who_;
  SafetensorsHeader header_;
  std::shared_ptr<const FileReader> file_;
  std::span<const std::byte> memory_;
};

/// One tensor to write.
struct TensorSource {
  std::string name;
  FileDtype dtype = FileDtype::kF32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;  ///< row-major, little-endian, exactly tensor_bytes(dtype, shape)
};

/// Writes a safetensors file: tensors by element size descending, then by name, as the reference does; the header is
/// padded with spaces to a multiple of 8. The same input gives the same bytes. Starts a section per tensor (named like
/// it) and one named "(header)".
/// @param metadata text fields; `{"format": "pt"}` is what readers of the ecosystem expect
/// @throws CheckpointError if a name stands twice, is empty or reserved, or bytes and shape disagree; IoError.
void write_safetensors(ByteSink& sink, std::span<const TensorSource> tensors,
                       const std::map<std::string, std::string>& metadata = {{"format", "pt"}});

/// @return the size in bytes of what write_safetensors writes for the same arguments.
[[nodiscard]] std::uint64_t safetensors_file_bytes(std::span<const TensorSource> tensors,
                                                   const std::map<std::string, std::string>& metadata = {
                                                       {"format", "pt"}});

/// Writes a new file atomically (temporary sibling, fsync, rename). @throws CheckpointError, IoError
void write_safetensors_file(const std::filesystem::path& path, std::span<const TensorSource> tensors,
                            const std::map<std::string, std::string>& metadata = {{"format", "pt"}});

}  // namespace minnow
