#pragma once
/// @file
/// The fuzz targets as plain functions, for the replay of their corpora.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace minnow {

/// One fuzz target: tests/fuzz/<name>_fuzz.cpp with the corpus tests/fuzz/corpus/<name>/.
struct FuzzTarget {
  std::string name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

/// @return all targets, by name.
[[nodiscard]] const std::vector<FuzzTarget>& fuzz_targets();

}  // namespace minnow
