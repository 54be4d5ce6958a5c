#pragma once
/// @file
/// Maps a whole file read-only into memory, so that large token files and weights cost no copy.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace minnow {

namespace mapped_file {
struct Watched;
}

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

  /// Asks the file system whether the file is what it was when it was opened: of its size, and not written to since.
  /// Readers of long-lived maps call this around a burst of reads (about a microsecond): what they read behind the end
  /// of a file that was cut is 0 (see survive_cut_files) and must not be used. Throws: IoError when the file was cut,
  /// has grown or was written to.
  void check_unchanged() const;

  void swap(MappedFile& other) noexcept;

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  int descriptor_ = -1;
  std::int64_t written_ns_ = 0;              // when the file was last written to, by its file system's clock
  mapped_file::Watched* watched_ = nullptr;  // where the handler of SIGBUS finds this mapping
  std::filesystem::path path_;
};

/// From now on a read behind the end of a mapped file that somebody cuts gives 0 instead of killing the process by
/// SIGBUS, and check_unchanged() of that file throws. Other causes of SIGBUS keep their effect. For programs, once, at
/// their start: a library must not take a signal from its user.
void survive_cut_files();

}  // namespace minnow
