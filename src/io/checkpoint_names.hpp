#pragma once
/// @file
/// Names and shared small steps of the checkpoint files.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/io/manifest.hpp"

namespace minnow::detail {

inline constexpr std::string_view kManifestName = "manifest.json";
/// No manifest is larger: about 100 bytes per section, so a million sections.
inline constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{256} << 20U;

/// @return "step_00001000".
[[nodiscard]] std::string step_name(std::int64_t step);
/// @return the step if `name` is exactly what step_name gives for one.
[[nodiscard]] std::optional<std::int64_t> parse_step_name(std::string_view name);
[[nodiscard]] std::filesystem::path checkpoints_dir(const std::filesystem::path& run_dir);

/// Reads the manifest of a directory and compares its step with the directory's name.
/// @throws CheckpointError, IoError
[[nodiscard]] Manifest read_manifest(const std::filesystem::path& directory);

/// @return why a directory is not a whole checkpoint of plain files that the manifest names, as far as sizes tell;
/// empty if it is one. Costs no reading of data.
[[nodiscard]] std::string quick_problem(const std::filesystem::path& directory);

/// Removes old checkpoints after a save: all whole ones but the newest `keep`, `saved`, the best, the latest and
/// `resumed`. What is not whole stays and is named in `warnings`. @return the removed steps
std::vector<std::int64_t> rotate(const std::filesystem::path& run_dir, std::int64_t saved, std::int64_t keep,
                                 std::optional<std::int64_t> resumed, std::vector<std::string>& warnings);

/// Lists the damaged sections of one file of a checkpoint.
void find_damage(const std::filesystem::path& directory, const FileRecord& file, std::vector<std::string>& problems);

}  // namespace minnow::detail
