#pragma once
/// @file
/// Reads a file once from front to back in pieces, for hashes that must not hold the whole file.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "minnow/base/error.hpp"

namespace minnow::detail {

/// Throws the IoError for errno value `code`.
[[noreturn]] inline void throw_read_error(const char* who, const std::filesystem::path& path, int code) {
  throw IoError(std::string("[") + who + "] '" + path.string() +
                "' must be readable; got: " + std::error_code(code, std::generic_category()).message() +
                ". Hint: check that the file exists and that you may read it.");
}

/// Calls `body(bytes)` for consecutive pieces of at most 1 MiB. @throws IoError
template <class Body>
void read_pieces(const char* who, const std::filesystem::path& path, Body&& body) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw_read_error(who, path, errno);
  struct Closer {
    int descriptor;
    ~Closer() { ::close(descriptor); }
  } closer{descriptor};
  std::vector<std::byte> piece(std::size_t{1} << 20);
  for (;;) {
    const ssize_t got = ::read(descriptor, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_read_error(who, path, errno);
    if (got == 0) return;
    body(std::span<const std::byte>(piece).first(static_cast<std::size_t>(got)));
  }
}

}  // namespace minnow::detail
