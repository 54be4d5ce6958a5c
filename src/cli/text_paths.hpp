#pragma once
/// @file
/// Finds the texts that the commands of `minnow data` are given.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace minnow::cli {

/// @return the files that the arguments name, folders with what is in them, in order. Throws: as find_text_files.
[[nodiscard]] std::vector<std::filesystem::path> text_paths(const std::vector<std::string>& arguments);

/// @return the sum of the sizes; 0 (unknown) when there is standard input among them.
[[nodiscard]] std::int64_t bytes_of_paths(const std::vector<std::filesystem::path>& files);

}  // namespace minnow::cli
