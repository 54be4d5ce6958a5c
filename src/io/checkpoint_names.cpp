#include "io/checkpoint_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "io/system_error.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/checkpoint.hpp"

namespace minnow {

namespace detail {

namespace {

constexpr std::string_view kStepPrefix = "step_";

}  // namespace

std::string step_name(std::int64_t step) { return fmt::format("{}{:08d}", kStepPrefix, step); }

std::optional<std::int64_t> parse_step_name(std::string_view name) {
  if (!name.starts_with(kStepPrefix)) return std::nullopt;
  std::int64_t step = -1;
  const auto parsed = std::from_chars(name.data() + kStepPrefix.size(), name.data() + name.size(), step);
  if (parsed.ec != std::errc() || step < 0 || step_name(step) != name) return std::nullopt;
  return step;
}

std::filesystem::path checkpoints_dir(const std::filesystem::path& run_dir) { return run_dir / "checkpoints"; }

Manifest read_manifest(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / kManifestName;
  if (!path_exists(path)) {
    throw CheckpointError(
        fmt::format("[checkpoint] '{}' must hold {}; got none. Hint: the save never ended or this is "
                    "not a checkpoint.",
                    directory.string(), kManifestName));
  }
  Manifest manifest = parse_manifest(read_file(path, kMaxManifestBytes), path.string());
  const auto named = parse_step_name(directory.filename().string());
  if (named && *named != manifest.step) {
    throw CheckpointError(
        fmt::format("[checkpoint] '{}' must hold step {}; got a manifest of step {}. Hint: files of "
                    "two checkpoints were mixed.",
                    directory.string(), *named, manifest.step));
  }
  return manifest;
}

}  // namespace detail

std::filesystem::path checkpoint_directory(const std::filesystem::path& run_dir, std::int64_t step) {
  return detail::checkpoints_dir(run_dir) / detail::step_name(step);
}

std::vector<CheckpointInfo> list_checkpoints(const std::filesystem::path& run_dir) {
  std::vector<CheckpointInfo> list;
  const std::filesystem::path parent = detail::checkpoints_dir(run_dir);
  if (!path_exists(parent)) return list;
  std::error_code code;
  for (std::filesystem::directory_iterator at(parent, code), end; !code && at != end; at.increment(code)) {
    const auto step = detail::parse_step_name(at->path().filename().string());
    if (step) list.push_back({*step, at->path()});
  }
  if (code) detail::throw_io_error(parent, "a directory that can be listed", code.value());
  std::sort(list.begin(), list.end(), [](const CheckpointInfo& a, const CheckpointInfo& b) { return a.step < b.step; });
  return list;
}

namespace {

// The file holds a bare directory name and a newline; anything else is no name, so no path of a file is ever followed.
std::optional<std::int64_t> pointed_step(const std::filesystem::path& path) {
  constexpr std::uint64_t kLongest = 64;
  try {
    if (!path_exists(path)) return std::nullopt;
    std::string name = read_file(path, kLongest);
    if (!name.ends_with('\n')) return std::nullopt;
    name.pop_back();
    return detail::parse_step_name(name);
  } catch (const IoError&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::int64_t> latest_step(const std::filesystem::path& run_dir) {
  return pointed_step(run_dir / "latest");
}
std::optional<std::int64_t> best_step(const std::filesystem::path& run_dir) { return pointed_step(run_dir / "best"); }

void mark_best(const std::filesystem::path& run_dir, std::int64_t step) {
  (void)detail::read_manifest(checkpoint_directory(run_dir, step));
  write_file_atomic(run_dir / "best", detail::step_name(step) + "\n");
}

}  // namespace minnow
