#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/checkpoint_names.hpp"
#include "io/json_text.hpp"
#include "io/own_temporary.hpp"
#include "io/system_error.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/checkpoint.hpp"

namespace minnow {

std::string detail::quick_problem(const std::filesystem::path& directory) {
  try {
    const Manifest manifest = read_manifest(directory);
    for (const FileRecord& file : manifest.files) {
      const std::uint64_t bytes = FileReader(directory / file.name).size();
      if (bytes != file.bytes) return fmt::format("{} has {} bytes, must have {}", file.name, bytes, file.bytes);
    }
    std::error_code code;
    for (std::filesystem::directory_iterator at(directory, code), end; !code && at != end; at.increment(code)) {
      const std::string name = at->path().filename().string();
      if (name != kManifestName && manifest.find(name) == nullptr)
        return "holds a file that is not ours: " + shown(name);
    }
    return code ? code.message() : "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::vector<std::int64_t> detail::rotate(const std::filesystem::path& run_dir, std::int64_t saved, std::int64_t keep,
                                         std::optional<std::int64_t> resumed, std::vector<std::string>& warnings) {
  std::vector<std::int64_t> removed;
  if (keep <= 0) return removed;
  const std::vector<CheckpointInfo> list = list_checkpoints(run_dir);
  const auto best = best_step(run_dir);
  const auto latest = latest_step(run_dir);
  std::int64_t kept = 0;
  for (auto at = list.rbegin(); at != list.rend(); ++at) {
    if (const std::string problem = quick_problem(at->directory); !problem.empty()) {
      warnings.push_back(fmt::format("'{}' was left alone: {}", at->directory.string(), problem));
      continue;
    }
    if (kept++ < keep || at->step == saved || at->step == best || at->step == latest || at->step == resumed) continue;
    // Renamed first: a crash while its files go must not leave something that looks like a torn checkpoint.
    try {
      const std::string problem = OwnTemporary::from_existing(at->directory).remove();
      if (!problem.empty()) warnings.push_back(fmt::format("step {} was not removed: {}", at->step, problem));
      removed.push_back(at->step);
    } catch (const IoError& error) {
      warnings.push_back(fmt::format("step {} was not removed: {}", at->step, error.what()));
    }
  }
  return removed;
}

std::vector<std::string> remove_all_checkpoints(const std::filesystem::path& run_dir) {
  std::vector<std::string> left;
  remove_file(run_dir / "latest");
  remove_file(run_dir / "best");
  const std::filesystem::path parent = detail::checkpoints_dir(run_dir);
  if (!path_exists(parent)) return left;
  detail::remove_stale_temporaries(parent);
  for (const CheckpointInfo& info : list_checkpoints(run_dir)) {
    detail::OwnTemporary moved = detail::OwnTemporary::from_existing(info.directory);
    const std::filesystem::path name = moved.path();
    const std::string problem = moved.remove();
    if (!problem.empty()) left.push_back(fmt::format("'{}' was not removed: {}", name.string(), problem));
  }
  sync_directory(parent);
  return left;
}

}  // namespace minnow
