#pragma once
/// @file
/// The commands of `minnow data`.

#include "cli/options.hpp"

namespace minnow::cli {

Action setup_data_pack(Options& options);
Action setup_data_check(Options& options);

}  // namespace minnow::cli
