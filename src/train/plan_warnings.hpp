#pragma once
/// @file
/// Looks for what is allowed but probably not meant.

#include <vector>

#include "minnow/data/dataset.hpp"
#include "minnow/train/plan.hpp"

namespace minnow {

/// @param plan filled but for its warnings
[[nodiscard]] std::vector<PlanWarning> plan_warnings(const Config& config, const Dataset& data, const TrainPlan& plan);

}  // namespace minnow
