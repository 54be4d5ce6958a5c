#pragma once
/// @file
/// Computes the final figures of a run.

#include <optional>

#include "minnow/report/run_facts.hpp"

namespace minnow {

/// The figures that reports name; nothing where a run did not log one.
struct Summary {
  std::optional<double> tokens, seconds;
  std::optional<double> tokens_per_s;  ///< median of the logged values
  std::optional<MetricPoint> train_loss, val_loss, best_val_loss;
  std::optional<MetricPoint> val_bits_per_byte, best_bits_per_byte;  ///< of the validation split
  /// Of the whole split at the end, where the others are of a part of it: so many windows.
  std::optional<MetricPoint> final_val_loss, final_bits_per_byte;
  std::optional<double> val_windows;
  double skipped_steps = 0;
};

[[nodiscard]] Summary summarize(const RunMetrics& run);

}  // namespace minnow
