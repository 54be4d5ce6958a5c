#include "cli/text_paths.hpp"

#include "minnow/data/text_reader.hpp"

namespace minnow::cli {

namespace fs = std::filesystem;

std::vector<fs::path> text_paths(const std::vector<std::string>& arguments) {
  std::vector<fs::path> files;
  for (const std::string& path : arguments) {
    const std::vector<fs::path> found = find_text_files(path);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

std::int64_t bytes_of_paths(const std::vector<fs::path>& files) {
  std::int64_t bytes = 0;
  for (const fs::path& file : files) {
    if (file == "-") return 0;
    std::error_code ignored;
    const auto size = fs::file_size(file, ignored);
    if (!ignored) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

}  // namespace minnow::cli
