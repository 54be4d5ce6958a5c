#pragma once
/// @file
/// Reads and writes files with every failure reported: the one place where minnow meets the file system.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace minnow {

/// Who may read and write a new file.
enum class FileAccess {
  kUsual,  ///< as the umask says
  kOwner,  ///< the owner alone (0600)
};

/// Where a writer puts its bytes. `section` names the bytes that follow until the next call; sinks that keep no table
/// of sections ignore it.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  /// Appends all of `bytes`. @throws IoError if they cannot all be written.
  virtual void write(std::span<const std::byte> bytes) = 0;
  /// Starts a named section at the present position.
  virtual void section(std::string_view /*name*/) {}
  /// Appends the bytes of a text.
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
};

/// A new file that is written from front to back. Nothing is promised about its content until `commit` has returned.
class FileWriter final : public ByteSink {
 public:
  /// Creates `path`; it must not exist yet. @throws IoError
  explicit FileWriter(const std::filesystem::path& path, FileAccess access = FileAccess::kUsual);
  /// Closes without reporting; the file stays as far as it was written.
  ~FileWriter() override;
  FileWriter(FileWriter&&) = delete;
  FileWriter& operator=(FileWriter&&) = delete;
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  using ByteSink::write;
  void write(std::span<const std::byte> bytes) override;
  /// Forces the bytes to the disk (fsync) and closes. @throws IoError if either fails.
  void commit();
  /// @return the number of bytes written so far.
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  void flush();

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::string buffer_;
};

/// A file open for reading at any offset. Reads go through pread, so a file that shrinks meanwhile is an IoError and
/// never a SIGBUS (for mapped files see base/mapped_file.hpp).
class FileReader {
 public:
  /// @throws IoError if it cannot be opened or is not a regular file.
  explicit FileReader(const std::filesystem::path& path);
  ~FileReader();
  FileReader(FileReader&& other) noexcept;
  FileReader& operator=(FileReader&& other) noexcept;
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  /// @return the size in bytes when the file was opened.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// @return the size in bytes that the file has now. @throws IoError
  [[nodiscard]] std::uint64_t present_size() const;
  /// @return the descriptor, which stays ours.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Fills `target` with the bytes from `offset` on. Threads: safe from several at once.
  /// @throws IoError if the file ends before or cannot be read.
  void read_at(std::uint64_t offset, std::span<std::byte> target) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// Most bytes that read_file takes into memory unless told otherwise: 1 GiB.
inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 30U;

/// @return the whole content of a regular file.
/// @throws IoError if it cannot be read, is not a regular file or holds more than `max_bytes`.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::uint64_t max_bytes = kMaxFileBytes);

/// Replaces `path` by a file with this content, or leaves it as it was: writes a temporary sibling, fsyncs it, renames
/// it over `path` and fsyncs the directory. A failed call removes its temporary.
/// @throws IoError with path, reason and the bytes needed.
void write_file_atomic(const std::filesystem::path& path, std::string_view content,
                       FileAccess access = FileAccess::kUsual);

/// The same for content that `writer` puts out piece by piece.
void write_file_atomic(const std::filesystem::path& path, const std::function<void(ByteSink&)>& writer,
                       FileAccess access = FileAccess::kUsual);

/// Writes where `path` leads, as a user who names a place means it: a file (behind symbolic links, which stay) whole or
/// not at all, a device or pipe as it is. Throws: IoError; also for a pipe that nobody reads.
void write_where_named(const std::filesystem::path& path, std::string_view content);

/// Creates a directory and its parents and makes the new names durable. Nothing happens if it exists.
/// @param access of the directories that are new; kOwner: 0700
/// @throws IoError if that fails or a file is in the way.
void make_directories(const std::filesystem::path& path, FileAccess access = FileAccess::kUsual);

/// Makes the names in a directory durable (fsync of the directory). @throws IoError
void sync_directory(const std::filesystem::path& path);

/// Renames within one file system, replacing a file. The caller fsyncs the directory. @throws IoError
void rename_path(const std::filesystem::path& from, const std::filesystem::path& to);

/// Removes a file or a link; nothing happens if there is none. @throws IoError
void remove_file(const std::filesystem::path& path);

/// @return the bytes that this user may still write on the file system that holds `path`. @throws IoError
[[nodiscard]] std::uint64_t free_disk_bytes(const std::filesystem::path& path);

/// Checks before a write that the disk has room. @throws IoError naming needed and free bytes.
void require_free_disk(const std::filesystem::path& path, std::uint64_t needed_bytes);

/// @return whether something stands at `path` (a dangling link counts). @throws IoError if that cannot be found out.
[[nodiscard]] bool path_exists(const std::filesystem::path& path);

}  // namespace minnow
