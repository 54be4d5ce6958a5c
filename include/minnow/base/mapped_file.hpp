#pragma once
/// @file
/// Maps a whole file read-only into memory, so that large token files and weights cost no copy.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace minnow {

/// A regular file, open and mapped read-only for as long as the object lives. Move-only. An empty file gives an empty
/// span. Pages come from the kernel's cache on first touch.
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept { swap(other); }
  MappedFile& operator=(MappedFile&& other) noexcept {
    swap(other);
    return *this;
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  /// Opens and maps `path`.
  /// @param who  named in brackets in the error text ("data", "safetensors", ...).
  /// Throws: IoError when the file is missing, unreadable, a directory or anything else but a regular file.
  [[nodiscard]] static MappedFile open(const std::filesystem::path& path, std::string_view who = "file");

  /// @return the content.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

  /// @return the content as characters.
  [[nodiscard]] std::string_view text() const noexcept { return {reinterpret_cast<const char*>(data_), size_}; }

  /// @return the size in bytes when the file was opened.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  /// Asks the file system whether the file still has its size. Touching a page behind the end of a file that shrank
  /// would kill the process, so readers of long-lived maps call this before a burst of reads (about a microsecond).
  /// Throws: IoError naming both sizes when the file is shorter than when it was opened.
  void check_not_shrunk() const;

  void swap(MappedFile& other) noexcept;

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  int descriptor_ = -1;
  std::filesystem::path path_;
};

}  // namespace minnow
