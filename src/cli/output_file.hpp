#pragma once
/// @file
/// Writes the file that a verb was asked for.

#include <string>
#include <string_view>

namespace minnow::cli {

/// @return where a file of that name lies beside the log of a run. @param run directory, or its metrics.jsonl
[[nodiscard]] std::string beside_metrics(const std::string& run, std::string_view name);

/// Writes `content` whole or not at all and says so; "-" is stdout. Throws: IoError.
void write_output(const std::string& path, std::string_view content);

}  // namespace minnow::cli
