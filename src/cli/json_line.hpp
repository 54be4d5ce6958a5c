#pragma once
/// @file
/// Writes what a machine reads: one JSON value, one line.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace minnow::cli {

/// @return `json` as one line with its line feed. Bytes that are not UTF-8 (names of files may be any) become U+FFFD:
/// the work is done by now, and its result must come out.
std::string json_line(const nlohmann::ordered_json& json);

}  // namespace minnow::cli
