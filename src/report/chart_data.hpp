#pragma once
/// @file
/// Writes what the page's script draws: the curves of runs and the list of charts, as JSON.

#include <span>
#include <string>

#include "minnow/report/run_facts.hpp"

namespace minnow {

/// Rows of a log that a page keeps of each run at most, those of evaluations counted apart: a screen shows no more.
inline constexpr std::size_t kMostRows = 4000;

/// @return the rows to keep: all where there are few; else of each stretch those with the lowest and highest loss and
/// gradient norm, so that no spike is lost; the first, the last, and those of evaluations.
[[nodiscard]] std::vector<std::size_t> rows_to_keep(const RunMetrics& run);

/// @return {"runs": [...], "charts": [...]} of one run: loss of training and validation in one chart.
[[nodiscard]] std::string run_chart_data(const RunMetrics& run);

/// @return the same of several runs: one chart per metric, one curve per run.
/// @param names of the runs
[[nodiscard]] std::string comparison_chart_data(std::span<const RunFacts> runs, std::span<const std::string> names);

}  // namespace minnow
