#pragma once
/// @file
/// Where the time of a training step goes.

#include <optional>
#include <string>
#include <vector>

#include "cli/bench_workload.hpp"

namespace minnow::cli {

/// All calls of one operation on one set of shapes in one pass, per step.
struct StepPart {
  std::string name;
  std::string pass;    ///< "forward", "backward" or "update"
  std::string inputs;  ///< shapes
  std::int64_t calls = 0;
  double seconds = 0;  ///< of all calls together, as flops and bytes
  double flops = 0;
  double bytes = 0;
};

struct StepProfile {
  std::vector<StepPart> parts;  ///< the longest first; they add up to the step but for what lies between them
  double seconds = 0;           ///< of a whole step
  std::int64_t parameters = 0;
};

/// Trains a few steps of a workload and takes the time between operations; means over the steps. What backward
/// computes counts twice what forward does (one product becomes two), which is exact for products.
/// @return nothing when a signal asked to stop.
std::optional<StepProfile> profile_step(const Workload& work, const ComputeConfig& compute);

}  // namespace minnow::cli
