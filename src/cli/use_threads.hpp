#pragma once
/// @file
/// Sets the number of threads that a verb computes with.

#include <cstdint>

#include "cli/options.hpp"

namespace minnow::cli {

/// Most threads that `--threads` takes.
inline constexpr std::int64_t kMostThreads = 1024;

/// Declares `--threads N`.
void threads_option(Options& options, std::int64_t& target);

/// @param count at most so many; 0 = OMP_NUM_THREADS where that is set, else all processors that this process may use.
/// Changes no result.
void use_threads(std::int64_t count);

}  // namespace minnow::cli
