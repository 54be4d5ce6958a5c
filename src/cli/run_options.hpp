#pragma once
/// @file
/// Options of the verbs that open a run.

#include <string>

#include "cli/options.hpp"

namespace minnow::cli {

/// Declares --weights.
void weights_option(Options& options, std::string& target);

}  // namespace minnow::cli
