#pragma once
/// @file
/// Finds out which run a command line means, and with which configuration it begins or goes on.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "minnow/config/load.hpp"

namespace minnow::cli {

/// What was typed.
struct RunWords {
  std::string config;                  ///< a TOML file, the directory of a run, or nothing
  std::string run;                     ///< --run, or nothing
  std::vector<std::string> overrides;  ///< --set
  bool resume = false;
};

/// What it means.
struct RunRequest {
  LoadedConfig config;
  std::filesystem::path run_dir;
  std::vector<std::string> notes;  ///< what a person should know of where the configuration came from
};

/// A new run takes the configuration file and --set. A run that goes on (resume, and the directory holds one) goes on
/// with the configuration that it recorded:
/// - without a file (or with the run's directory in its place) all of it counts, but for what --set names;
/// - with a file the file is read anew, and what the run had from --set still counts before it, as --set always does,
///   until --set names it again. Each such key is a note.
/// Throws: ConfigError when nothing says which run, or the configuration is wrong.
[[nodiscard]] RunRequest resolve_run(const RunWords& words);

/// @return the configuration that a run directory recorded, with where each value first came from: its config.toml, or
/// that of the newest sound checkpoint where it is missing or cannot be read. Nothing where neither is there.
[[nodiscard]] std::optional<LoadedConfig> recorded_config(const std::filesystem::path& run_dir,
                                                          std::span<const std::string> overrides = {});

}  // namespace minnow::cli
