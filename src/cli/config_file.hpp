#pragma once
/// @file
/// Reads a configuration file for a verb.

#include <filesystem>
#include <span>
#include <string>

#include "minnow/config/load.hpp"

namespace minnow::cli {

/// Reads, overrides and checks a configuration; prints its notes as warnings.
/// Throws: ConfigError when the file is missing (with the nearest name in its folder) or wrong, IoError when it cannot
/// be read.
LoadedConfig read_config_file(const std::filesystem::path& path, std::span<const std::string> overrides = {});

}  // namespace minnow::cli
