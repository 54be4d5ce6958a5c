#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "io/file_mode.hpp"
#include "io/own_temporary.hpp"
#include "io/system_error.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/file.hpp"

namespace minnow {

namespace {

// Small writes are gathered to pieces of this size; larger ones go to the system at once.
constexpr std::size_t kBufferBytes = std::size_t{64} << 10U;

// Writes everything or says which errno stopped it (0: all written). A call that writes nothing without a reason
// counts as an I/O fault, else the loop would never end.
int write_all(int descriptor, const char* data, std::size_t count) {
  while (count > 0) {
    const ssize_t done = detail::retry_interrupted([&] { return ::write(descriptor, data, count); });
    if (done < 0) return errno;
    if (done == 0) return EIO;
    data += done;
    count -= static_cast<std::size_t>(done);
  }
  return 0;
}

void write_or_throw(int descriptor, const std::filesystem::path& path, const char* data, std::size_t count) {
  if (const int code = write_all(descriptor, data, count); code != 0) {
    detail::throw_io_error(path, "writable", code, fmt::format("{} more bytes needed", count));
  }
}

bool is_special(const struct stat& info) {
  return !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode) && !S_ISLNK(info.st_mode);
}

/// @return the place behind symbolic links, whether something is there or not.
std::filesystem::path behind_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code code;
    const std::filesystem::path target = std::filesystem::read_symlink(path, code);
    if (code) return path;
    path = path.parent_path() / target;  // an absolute target replaces all
  }
  detail::throw_io_error(path, "a file that can be written", ELOOP);
}

void write_special(const std::filesystem::path& path, std::string_view content) {
  // O_NONBLOCK: a pipe that nobody reads gives an error instead of waiting for ever. Whoever reads it may have been
  // started together with us.
  constexpr int kTries = 100;
  constexpr auto kPause = std::chrono::milliseconds(10);
  int descriptor = -1;
  for (int i = 0; i < kTries && descriptor < 0; ++i) {
    if (i > 0) std::this_thread::sleep_for(kPause);
    descriptor =
        detail::retry_interrupted([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); });
    if (descriptor < 0 && errno != ENXIO) break;
  }
  if (descriptor < 0) detail::throw_io_error(path, "a device or pipe that can be written", errno);
  const int flags = ::fcntl(descriptor, F_GETFL);
  ::fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
  const int code = write_all(descriptor, content.data(), content.size());
  ::close(descriptor);
  if (code != 0) detail::throw_io_error(path, "writable", code, fmt::format("{} bytes", content.size()));
}

}  // namespace

void write_where_named(const std::filesystem::path& path, std::string_view content) {
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0 && is_special(there)) return write_special(path, content);
  write_file_atomic(behind_links(path), content);
}

FileWriter::FileWriter(const std::filesystem::path& path, FileAccess access) : path_(path) {
  descriptor_ = detail::retry_interrupted(
      [&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, detail::mode_of(access)); });
  if (descriptor_ < 0) detail::throw_io_error(path, "a new file that can be created", errno);
  buffer_.reserve(kBufferBytes);
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileWriter::write(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const char* data = reinterpret_cast<const char*>(bytes.data());
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() >= kBufferBytes) {
    write_or_throw(descriptor_, path_, data, bytes.size());
  } else {
    buffer_.append(data, bytes.size());
  }
  size_ += bytes.size();
}

void FileWriter::flush() {
  write_or_throw(descriptor_, path_, buffer_.data(), buffer_.size());
  buffer_.clear();
}

void FileWriter::commit() {
  flush();
  if (detail::retry_interrupted([&] { return ::fsync(descriptor_); }) != 0) {
    detail::throw_io_error(path_, "forced to the disk (fsync)", errno, fmt::format("{} bytes", size_));
  }
  const int descriptor = descriptor_;
  descriptor_ = -1;
  // Linux frees the descriptor even when close is interrupted, and the bytes are on the disk already.
  if (::close(descriptor) != 0 && errno != EINTR) detail::throw_io_error(path_, "closed without error", errno);
}

void write_file_atomic(const std::filesystem::path& path, std::string_view content, FileAccess access) {
  write_file_atomic(
      path, [&](ByteSink& sink) { sink.write(content); }, access);
}

void write_file_atomic(const std::filesystem::path& path, const std::function<void(ByteSink&)>& writer,
                       FileAccess access) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0 && is_special(there)) {  // renaming over it would remove a device
    throw IoError(
        fmt::format("[io] '{}' must be a regular file or not there; got a device, pipe or socket. Hint: name "
                    "a file",
                    path.string()));
  }
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  detail::OwnTemporary temporary = detail::OwnTemporary::file_in(parent, writer, access);
  rename_path(temporary.path(), path);
  temporary.keep();
  sync_directory(parent);
}

}  // namespace minnow
