#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "io/system_error.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/file.hpp"

namespace minnow {

namespace {

std::filesystem::path parent_of(const std::filesystem::path& path) {
  const std::filesystem::path parent = path.parent_path();
  return parent.empty() ? std::filesystem::path(".") : parent;
}

bool names_directory(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

bool path_exists(const std::filesystem::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  detail::throw_io_error(path, "reachable", errno);
}

void make_directories(const std::filesystem::path& path, FileAccess access) {
  const mode_t mode = access == FileAccess::kOwner ? 0700 : 0777;
  std::vector<std::filesystem::path> missing;
  std::filesystem::path at = path.has_filename() ? path : path.parent_path();  // "a/b/" means "a/b"
  for (; !at.empty() && !names_directory(at); at = at.parent_path()) {
    missing.push_back(at);
    if (at == at.parent_path()) break;
  }
  for (auto name = missing.rbegin(); name != missing.rend(); ++name) {
    if (::mkdir(name->c_str(), mode) == 0) {
      sync_directory(parent_of(*name));
    } else if (const int code = errno; code != EEXIST || !names_directory(*name)) {  // another process may be faster
      detail::throw_io_error(*name, "a directory that exists or can be created", code);
    }
  }
}

void sync_directory(const std::filesystem::path& path) {
  const int descriptor =
      detail::retry_interrupted([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0) detail::throw_io_error(path, "a directory that can be opened", errno);
  const int result = detail::retry_interrupted([&] { return ::fsync(descriptor); });
  const int code = errno;
  ::close(descriptor);
  // EINVAL: file systems that cannot sync a directory (some network and user-space ones) order names by themselves.
  if (result != 0 && code != EINVAL) detail::throw_io_error(path, "forced to the disk (fsync)", code);
}

void rename_path(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    detail::throw_io_error(to, "replaceable by a rename", errno, fmt::format("renaming '{}'", from.string()));
  }
}

void remove_file(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) detail::throw_io_error(path, "removable", errno);
}

std::uint64_t free_disk_bytes(const std::filesystem::path& path) {
  struct statvfs status {};
  if (detail::retry_interrupted([&] { return ::statvfs(path.c_str(), &status); }) != 0) {
    detail::throw_io_error(path, "on a file system that tells its free space", errno);
  }
  return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

void require_free_disk(const std::filesystem::path& path, std::uint64_t needed_bytes) {
  const std::uint64_t present = free_disk_bytes(path);
  if (present >= needed_bytes) return;
  throw IoError(
      fmt::format("[io] the disk that holds '{}' must have {} bytes free; got {} bytes; nothing was written. Hint: "
                  "free space, keep fewer checkpoints or choose another directory.",
                  path.string(), needed_bytes, present));
}

}  // namespace minnow
