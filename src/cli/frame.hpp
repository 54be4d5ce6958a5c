#pragma once
/// @file
/// Runs a command line from its first word to the exit code.

#include <string>
#include <vector>

namespace minnow::cli {

/// @param arguments of the process, without its own name.
/// @return the exit code (base/error.hpp); every failure has been reported on stderr.
int run(const std::vector<std::string>& arguments);

}  // namespace minnow::cli
