#pragma once
/// @file
/// Writes the log of a run in the forms of other programs.

#include <string>

#include "minnow/report/run_facts.hpp"

namespace minnow {

/// @return the log as CSV (RFC 4180, but with line feeds): `step`, then the metrics in the order in which the log names
/// them. A cell is empty where a step did not log the metric, `nan` where the value was not finite. Numbers read back
/// as the same doubles.
[[nodiscard]] std::string metrics_csv(const RunMetrics& run);

/// @return an event file for TensorBoard: the scalars of every step, the samples and the configuration as texts.
/// @param start seconds since 1970 at which the run's `seconds` were 0
[[nodiscard]] std::string tensorboard_events(const RunFacts& run, double start);

}  // namespace minnow
