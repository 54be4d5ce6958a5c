#pragma once
/// @file
/// Turns errno values into IoError texts that name path, reason and what to do.

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>

namespace minnow::detail {

/// @return the text of an errno value.
[[nodiscard]] std::string errno_text(int code);

/// Throws `[io] 'path' must be <must_be>; got: <errno text>; <context>. Hint: ...`.
[[noreturn]] void throw_io_error(const std::filesystem::path& path, std::string_view must_be, int code,
                                 std::string_view context = {});

/// @return whether `path` still leads to the file that is open as `descriptor`.
[[nodiscard]] bool still_named(int descriptor, const std::filesystem::path& path);

/// Calls `body` until it does not fail with EINTR. @return its result
template <class Body>
auto retry_interrupted(Body&& body) {
  auto result = body();
  while (result < 0 && errno == EINTR) result = body();
  return result;
}

}  // namespace minnow::detail
