#include "train/run_hint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "minnow/config/nearest.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamed = 5;  // runs that a message names

bool is_run(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path / "checkpoints", ignored) || fs::is_regular_file(path / "metrics.jsonl", ignored);
}

/// @return the names of the runs in a folder, sorted.
std::vector<std::string> runs_in(const fs::path& folder) {
  constexpr int kMostEntries = 10'000;  // it may be any folder
  std::vector<std::string> names;
  std::error_code error;
  int seen = 0;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (++seen > kMostEntries) break;
    if (is_run(entry->path())) names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string list_of(const fs::path& folder, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", (folder / names[i]).lexically_normal().string());
  return names.size() > kNamed ? fmt::format("{} and {} more", text, names.size() - kNamed) : text;
}

/// @return the run that a path such as RUN/checkpoints, RUN/latest or RUN/config.toml lies in; else an empty path.
fs::path run_around(const fs::path& path) {
  fs::path parent = path.has_filename() ? path : path.parent_path();
  for (int up = 0; up < 2 && parent.has_parent_path(); ++up) {
    parent = parent.parent_path();
    if (is_run(parent)) return parent;
  }
  return {};
}

/// @return the run with a similar name beside `path` or in runs/.
std::string similar_run(const fs::path& path) {
  const fs::path named = path.has_filename() ? path : path.parent_path();
  for (const fs::path& folder : {named.has_parent_path() ? named.parent_path() : fs::path("."), fs::path("runs")}) {
    const std::vector<std::string> names = runs_in(folder);
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto near = nearest_name(named.stem().string(), views);
    if (!near.empty()) return (folder / near).lexically_normal().string();
  }
  return "";
}

}  // namespace

std::string run_hint(const fs::path& path) {
  if (const fs::path around = run_around(path); !around.empty())
    return fmt::format("did you mean {}?", around.string());
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    const std::vector<std::string> inside = runs_in(path);
    if (!inside.empty()) return fmt::format("name a run in it: {}", list_of(path, inside));
  }
  if (const std::string near = similar_run(path); !near.empty()) return fmt::format("did you mean {}?", near);
  const bool file = fs::exists(path, ignored) && !fs::is_directory(path, ignored);
  const std::string how = file ? "a run is a folder that `minnow train CONFIG` made"
                               : fmt::format("`minnow train CONFIG --run {}` makes one", path.string());
  const std::vector<std::string> others = runs_in("runs");
  return others.empty() ? how : fmt::format("{}; there are {}", how, list_of("runs", others));
}

}  // namespace minnow
