#pragma once
/// @file
/// Writes the text that [sample] asks for during training.

#include "minnow/train/trainer.hpp"

namespace minnow::cli {

/// @return a sampler that stops early when a signal came (see install_stop_signals()).
TextSampler train_sampler();

}  // namespace minnow::cli
