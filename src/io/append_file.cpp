#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "io/file_mode.hpp"
#include "io/system_error.hpp"
#include "minnow/io/run_log.hpp"

namespace minnow {

namespace {

int open_to_append(const std::filesystem::path& path, FileAccess access) {
  // O_NONBLOCK: a pipe that nobody reads must be refused, not waited for.
  const int descriptor = detail::retry_interrupted([&] {
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, detail::mode_of(access));
  });
  if (descriptor < 0) detail::throw_io_error(path, "a file that can be appended to", errno);
  return descriptor;
}

}  // namespace

AppendFile::AppendFile(const std::filesystem::path& path, FileAccess access)
    : path_(path), access_(access), descriptor_(open_to_append(path, access)) {}

AppendFile::~AppendFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : path_(std::move(other.path_)), access_(other.access_), descriptor_(std::exchange(other.descriptor_, -1)) {}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(access_, other.access_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

void AppendFile::append(std::string_view text) {
  if (!detail::still_named(descriptor_, path_)) {  // removed or moved away: lines must not go where nobody sees them
    const int fresh = open_to_append(path_, access_);
    ::close(std::exchange(descriptor_, fresh));
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) detail::throw_io_error(path_, "writable", errno);
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t done = detail::retry_interrupted([&] { return ::write(descriptor_, rest.data(), rest.size()); });
    if (done > 0) {
      rest.remove_prefix(static_cast<std::size_t>(done));
      continue;
    }
    const int code = done < 0 ? errno : EIO;
    const bool undone = ::ftruncate(descriptor_, status.st_size) == 0;
    detail::throw_io_error(
        path_, "writable", code,
        fmt::format("{} bytes needed{}", text.size(), undone ? "" : "; a part of them stays behind"));
  }
}

void AppendFile::sync() {
  if (detail::retry_interrupted([&] { return ::fsync(descriptor_); }) != 0) {
    detail::throw_io_error(path_, "forced to the disk (fsync)", errno);
  }
}

}  // namespace minnow
