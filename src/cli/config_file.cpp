#include "cli/config_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/terminal.hpp"
#include "minnow/base/error.hpp"
#include "minnow/config/nearest.hpp"
#include "minnow/io/file.hpp"

namespace minnow::cli {
namespace {

namespace fs = std::filesystem;

/// The .toml file beside the missing one, or in configs/, whose name is nearest.
std::string similar_file(const fs::path& path) {
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (const fs::path& folder : {parent, fs::path("configs")}) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      if (entry->path().extension() == ".toml") names.push_back(entry->path().stem().string());
    }
    std::sort(names.begin(), names.end());  // the order of a folder is not fixed
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto near = nearest_name(path.stem().string(), views);
    if (!near.empty()) return (folder / (std::string(near) + ".toml")).lexically_normal().string();
  }
  return "";
}

}  // namespace

LoadedConfig read_config_file(const fs::path& path, std::span<const std::string> overrides) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    const std::string near = similar_file(path);
    throw ConfigError(fmt::format("[config] the configuration file must exist; got {}{}", path.string(),
                                  near.empty() ? "" : fmt::format(". Hint: did you mean {}?", near)));
  }
  if (fs::is_directory(status)) {
    throw ConfigError(
        fmt::format("[config] the configuration must be a TOML file; got the folder {}. Hint: to "
                    "go on with a run, --resume",
                    path.string()));
  }
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 24U;  // load_config() names its own, smaller limit
  LoadedConfig loaded = load_config(read_file(path, kMaxBytes), path.string(), overrides);
  for (const std::string& note : loaded.notes) print_warning(note);
  return loaded;
}

}  // namespace minnow::cli
