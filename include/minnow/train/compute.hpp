#pragma once
/// @file
/// Applies the table [compute] of a configuration, threads excepted.

#include "minnow/config/config.hpp"
#include "minnow/models/language_model.hpp"

namespace minnow {

/// Chooses who multiplies matrices in this process, and the precision of the model's products.
/// @throws ConfigError when the processor cannot do what `compute.gemm` names
void apply_compute(const ComputeConfig& compute, LanguageModel& model);

}  // namespace minnow
