#pragma once
/// @file
/// Applies the table [compute] of a configuration, threads excepted.

#include "minnow/config/config.hpp"
#include "minnow/kernels/gemm.hpp"
#include "minnow/models/language_model.hpp"

namespace minnow {

/// @return who multiplies with that setting on this processor.
[[nodiscard]] kernels::GemmBackend backend_of(GemmKind kind);

/// @return the precision of products with that setting.
[[nodiscard]] kernels::GemmPrecision precision_of(PrecisionKind kind);

/// Chooses who multiplies matrices in this process, and the precision of the model's products.
/// @throws ConfigError when what `compute.gemm` names cannot run here
void apply_compute(const ComputeConfig& compute, LanguageModel& model);

}  // namespace minnow
