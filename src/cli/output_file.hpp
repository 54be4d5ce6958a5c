#pragma once
/// @file
/// Writes the file that a verb was asked for.

#include <string>
#include <string_view>

#include "cli/options.hpp"

namespace minnow::cli {

/// @return where a file of that name lies beside the log of a run. @param run directory, or its metrics.jsonl
[[nodiscard]] std::string beside_metrics(const std::string& run, std::string_view name);

/// Declares --overwrite, which every verb has that writes a file where it is told to.
void overwrite_option(Options& options, bool& overwrite);

/// Before any work is done for it: a file that is there stays as it is unless `overwrite`. Pipes, devices and "-" may
/// be written to. Throws: ConfigError; IoError for a directory.
void require_free_output(const std::string& path, bool overwrite);

/// Writes `content` whole or not at all and says so; "-" is stdout. Throws: as require_free_output; IoError.
void write_output(const std::string& path, std::string_view content, bool overwrite);

}  // namespace minnow::cli
