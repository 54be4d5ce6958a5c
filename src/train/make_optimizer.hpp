#pragma once
/// @file
/// Makes the optimizer that a configuration names.

#include <memory>

#include "minnow/config/config.hpp"
#include "minnow/optim/optimizer.hpp"

namespace minnow {

[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const OptimizerConfig& config, FlatLayout layout, DType dtype);

}  // namespace minnow
