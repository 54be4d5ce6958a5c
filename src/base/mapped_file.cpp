#include "minnow/base/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "minnow/base/error.hpp"

namespace minnow {
namespace {

std::string hint_for(int code) {
  if (code == ENOENT) {
    return " Hint: check the spelling of the path; relative paths start at the working directory. scripts/get_data "
           "brings the "
           "public texts that the shipped configurations name.";
  }
  if (code == EACCES) return " Hint: the file exists but may not be read; see its permissions.";
  return "";
}

[[noreturn]] void fail(std::string_view who, const std::filesystem::path& path, int code) {
  throw IoError(fmt::format("[{}] file must be readable; got \"{}\" for {}.{}", who, std::strerror(code), path.string(),
                            hint_for(code)));
}

}  // namespace

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

void MappedFile::swap(MappedFile& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(descriptor_, other.descriptor_);
  path_.swap(other.path_);
}

MappedFile MappedFile::open(const std::filesystem::path& path, std::string_view who) {
  MappedFile file;
  file.path_ = path;
  // O_NONBLOCK: opening a named pipe that nobody writes to must not hang; it has no effect on regular files.
  do {
    file.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  } while (file.descriptor_ < 0 && errno == EINTR);
  if (file.descriptor_ < 0) fail(who, path, errno);
  struct stat info {};
  if (::fstat(file.descriptor_, &info) != 0) fail(who, path, errno);
  if (S_ISDIR(info.st_mode)) fail(who, path, EISDIR);
  if (!S_ISREG(info.st_mode)) {
    throw IoError(fmt::format("[{}] must be a regular file; got a device, pipe or socket: {}.", who, path.string()));
  }
  if (info.st_size == 0) return file;
  const auto size = static_cast<std::size_t>(info.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor_, 0);
  if (address == MAP_FAILED) fail(who, path, errno);
  file.data_ = static_cast<const std::byte*>(address);
  file.size_ = size;
  return file;
}

void MappedFile::check_not_shrunk() const {
  if (descriptor_ < 0) return;
  struct stat info {};
  if (::fstat(descriptor_, &info) != 0) fail("file", path_, errno);
  const auto now = static_cast<std::uintmax_t>(info.st_size);
  if (now >= size_) return;
  throw IoError(fmt::format("[file] must keep its size while it is in use; got {} bytes instead of {}: {}.", now, size_,
                            path_.string()));
}

}  // namespace minnow
