#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "io/system_error.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/file.hpp"

namespace minnow {

namespace {

std::uint64_t regular_file_bytes(int descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) detail::throw_io_error(path, "readable", errno);
  if (!S_ISREG(status.st_mode)) {
    throw IoError(fmt::format("[io] '{}' must be a regular file; got {}. Hint: name a file.", path.string(),
                              S_ISDIR(status.st_mode) ? "a directory" : "a device, pipe or socket"));
  }
  return static_cast<std::uint64_t>(status.st_size);
}

[[noreturn]] void throw_shrunk(const std::filesystem::path& path, std::uint64_t needed, std::uint64_t present) {
  throw IoError(
      fmt::format("[io] '{}' must keep its {} bytes while it is read; got a file that ends after {}. Hint: "
                  "another program cut it; start again when it is at rest.",
                  path.string(), needed, present));
}

}  // namespace

FileReader::FileReader(const std::filesystem::path& path) : path_(path) {
  // O_NONBLOCK: a pipe without a writer must be refused, not waited for.
  descriptor_ = detail::retry_interrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
  if (descriptor_ < 0) detail::throw_io_error(path, "a readable file", errno);
  try {
    size_ = regular_file_bytes(descriptor_, path);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

FileReader::~FileReader() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileReader::FileReader(FileReader&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

FileReader& FileReader::operator=(FileReader&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

std::uint64_t FileReader::present_size() const { return regular_file_bytes(descriptor_, path_); }

void FileReader::read_at(std::uint64_t offset, std::span<std::byte> target) const {
  if (offset > size_ || target.size() > size_ - offset) throw_shrunk(path_, offset + target.size(), size_);
  std::size_t done = 0;
  while (done < target.size()) {
    const ssize_t got = detail::retry_interrupted([&] {
      return ::pread(descriptor_, target.data() + done, target.size() - done, static_cast<off_t>(offset + done));
    });
    if (got < 0) detail::throw_io_error(path_, "readable", errno, fmt::format("at byte {}", offset + done));
    if (got == 0) throw_shrunk(path_, size_, offset + done);
    done += static_cast<std::size_t>(got);
  }
}

std::string read_file(const std::filesystem::path& path, std::uint64_t max_bytes) {
  const FileReader reader(path);
  if (reader.size() > max_bytes) {
    throw IoError(fmt::format("[io] '{}' must hold at most {} bytes here; got {}. Hint: is this the right file?",
                              path.string(), max_bytes, reader.size()));
  }
  std::string content(static_cast<std::size_t>(reader.size()), '\0');
  reader.read_at(0, std::as_writable_bytes(std::span(content)));
  return content;
}

}  // namespace minnow
