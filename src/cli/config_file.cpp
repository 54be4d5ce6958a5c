#include "cli/config_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/terminal.hpp"
#include "minnow/base/error.hpp"
#include "minnow/config/keys.hpp"
#include "minnow/config/nearest.hpp"
#include "minnow/io/file.hpp"
#include "train/kept_text.hpp"

namespace minnow::cli {
namespace {

namespace fs = std::filesystem;

/// Where a configuration may lie: where it was sought, in the source folder, beside the program as it was built
/// (build/minnow) and as it is installed (bin/minnow).
std::vector<fs::path> config_folders(const fs::path& parent) {
  std::vector<fs::path> folders{parent, "configs"};
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  if (!error) folders.insert(folders.end(), {program / "configs", program / "share/minnow/configs"});
  return folders;
}

/// The .toml file beside the missing one, or in configs/, whose name is nearest.
std::string similar_file(const fs::path& path) {
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (const fs::path& folder : config_folders(parent)) {
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

[[noreturn]] void refuse_missing(const fs::path& path) {
  const std::string near = similar_file(path);
  throw ConfigError(fmt::format(
      "[config] the configuration file must exist; got {}. Hint: {}", path.string(),
      near.empty() ? "relative paths start at the working directory" : fmt::format("did you mean {}?", near)));
}

/// A run, or any other folder.
[[noreturn]] void refuse_folder(const fs::path& path) {
  const bool run = path_exists(path / "config.toml");
  throw ConfigError(fmt::format("[config] the configuration must be a TOML file; got the folder {}. Hint: {}",
                                path.string(),
                                run ? fmt::format("to go on with a run, `minnow train --resume {}`", path.string())
                                    : "to go on with a run, --resume; a folder of texts is data.path"));
}

/// A text was named in place of a configuration: the first thing that people try.
[[noreturn]] void refuse_text(const fs::path& path, const std::string& problem) {
  throw ConfigError(
      fmt::format("{}. Hint: the configuration is a .toml file; `minnow new {} --text {}` writes one for a text",
                  problem, path.stem().string(), path.string()));
}

}  // namespace

fs::path named_config(const fs::path& path) {
  if (path.empty() || path.extension() == ".toml" || path_exists(path)) return path;
  fs::path named = path;
  named += ".toml";
  return path_exists(named) ? named : path;
}

LoadedConfig read_config_file(const fs::path& named, std::span<const std::string> overrides) {
  const fs::path path = named_config(named);
  std::error_code error;
  const auto status = fs::status(path, error);
  const bool text = path.extension() == ".txt";
  if (status.type() == fs::file_type::not_found) {
    if (text) refuse_text(path, fmt::format("[config] the configuration file must exist; got {}", path.string()));
    refuse_missing(path);
  }
  if (fs::is_directory(status)) refuse_folder(path);
  if (text) refuse_text(path, fmt::format("[config] the configuration must be a TOML file; got {}", path.string()));
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 24U;  // load_config() names its own, smaller limit
  const std::string content = read_file(path, kMaxBytes);
  LoadedConfig loaded = load_config(content, path.string(), overrides);
  const auto data_path = static_cast<std::size_t>(find_key("data.path") - config_keys().data());
  if (is_resolved_toml(content) && loaded.origins[data_path] != "--set")  // what a run has recorded
    find_kept_text(path.parent_path(), loaded.config.data);
  for (const std::string& note : loaded.notes) print_warning(note);
  return loaded;
}

}  // namespace minnow::cli
