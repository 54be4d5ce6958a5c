#pragma once
/// @file
/// Where a run keeps a text that came by standard input.

#include <filesystem>
#include <string_view>

#include "minnow/config/config.hpp"

namespace minnow {

/// The names of a kept text in the directory of its run.
inline constexpr std::string_view kKeptInput = "stdin.txt";
inline constexpr std::string_view kKeptJsonl = "stdin.jsonl";

/// Lets a recorded data.path name the text that lies in the run directory, wherever that is now: paths count from the
/// working directory, and a run may be moved or used from another folder. Other paths stay as they are.
/// @param run_dir  the directory that `data` was recorded in
void find_kept_text(const std::filesystem::path& run_dir, DataConfig& data);

}  // namespace minnow
