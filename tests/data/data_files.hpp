#pragma once
/// @file
/// Gives tests a folder of their own for data files, and the text of an error.

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "minnow/base/error.hpp"

namespace minnow::test {

/// A folder that vanishes with the object.
class DataFolder {
 public:
  DataFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "minnow_data_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;
  ~DataFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  /// Writes a file, its sub-folders included. @return its path.
  std::string write(const std::string& name, std::string_view content) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }

  [[nodiscard]] std::string path(const std::string& name = "") const {
    return name.empty() ? folder_.string() : (folder_ / name).string();
  }

 private:
  std::filesystem::path folder_;
};

/// @return "<exit code>: <text>" of the Error that `action` throws, or "no error".
template <class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return std::to_string(static_cast<int>(error.exit_code())) + ": " + error.what();
  }
  return "no error";
}

/// @return the shared folder of public data, empty when MINNOW_SHARED_DIR is not set.
inline std::string shared_folder() {
  const char* folder = std::getenv("MINNOW_SHARED_DIR");
  return folder == nullptr ? "" : folder;
}

}  // namespace minnow::test
