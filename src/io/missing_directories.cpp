#include "minnow/io/missing_directories.hpp"

#include <unistd.h>

namespace minnow {

MissingDirectories::MissingDirectories(const std::filesystem::path& directory) {
  std::filesystem::path at = directory.has_filename() ? directory : directory.parent_path();  // "a/b/" means "a/b"
  std::error_code unknown;  // where that cannot be found out nothing is made either
  for (; !at.empty() && !std::filesystem::exists(at, unknown) && !unknown; at = at.parent_path()) {
    missing_.push_back(at);
    if (at == at.parent_path()) break;
  }
}

void MissingDirectories::remove_empty() const noexcept {
  for (const std::filesystem::path& directory : missing_) {
    if (::rmdir(directory.c_str()) != 0) return;
  }
}

}  // namespace minnow
