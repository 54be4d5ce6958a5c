#include "io/system_error.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <system_error>

#include "minnow/base/error.hpp"

namespace minnow::detail {

namespace {

std::string_view hint_for(int code) {
  switch (code) {
    case ENOSPC:
      return "free space on this disk or choose another directory";
    case EDQUOT:
      return "your disk quota is used up: remove files or ask for more";
    case EROFS:
      return "this file system is read-only: choose another directory";
    case EACCES:
    case EPERM:
      return "check the owner and the permissions";
    case ENOENT:
      return "check the spelling of the path";
    case ENOTDIR:
      return "a part of the path is a file";
    case EISDIR:
      return "a file is needed here, not a directory";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (ulimit -n)";
    case EFBIG:
      return "raise the limit of the file size (ulimit -f)";
    case ELOOP:
      return "the path holds a loop of symbolic links";
    case ENAMETOOLONG:
      return "choose a shorter name";
    case EIO:
      return "the disk reports a fault: check its state before going on";
    default:
      return "check the path and the disk";
  }
}

}  // namespace

std::string errno_text(int code) { return std::error_code(code, std::generic_category()).message(); }

bool still_named(int descriptor, const std::filesystem::path& path) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

void throw_io_error(const std::filesystem::path& path, std::string_view must_be, int code, std::string_view context) {
  throw IoError(fmt::format("[io] '{}' must be {}; got: {}{}{}. Hint: {}.", path.string(), must_be, errno_text(code),
                            context.empty() ? "" : "; ", context, hint_for(code)));
}

}  // namespace minnow::detail
