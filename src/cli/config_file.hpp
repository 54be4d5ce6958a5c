#pragma once
/// @file
/// Reads a configuration file for a verb.

#include <filesystem>
#include <span>
#include <string>

#include "minnow/config/load.hpp"

namespace minnow::cli {

/// @return `path`, or where nothing of this name is there, the file of the name with .toml behind it if that is there.
[[nodiscard]] std::filesystem::path named_config(const std::filesystem::path& path);

/// Reads, overrides and checks a configuration (named_config); prints its notes as warnings.
/// Throws: ConfigError when the file is missing (with the nearest name in its folder) or wrong, IoError when it cannot
/// be read.
LoadedConfig read_config_file(const std::filesystem::path& path, std::span<const std::string> overrides = {});

}  // namespace minnow::cli
