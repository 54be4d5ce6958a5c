#pragma once
/// @file
/// Chooses how many threads a verb uses.

#include <cstdint>

namespace minnow::cli {

/// Sets the number of threads. @param wanted 0: all processors that this process may use
void use_threads(std::int64_t wanted);

}  // namespace minnow::cli
