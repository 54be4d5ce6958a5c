#pragma once
/// @file
/// Sets runs side by side: final figures, and the settings in which they differ.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "minnow/report/run_facts.hpp"

namespace minnow {

/// One line of a table with a cell per run.
struct ComparedRow {
  std::string label;
  std::vector<std::string> cells;  ///< "" where a run has no such figure
  std::vector<bool> best;          ///< which cells hold the best value; empty where no value is better than another
};

/// Runs side by side.
struct Comparison {
  std::vector<std::string> names;  ///< of the runs, each once: a number is added where two directories are called alike
  std::vector<ComparedRow> figures;   ///< steps, tokens, time, losses, ...
  std::vector<ComparedRow> settings;  ///< the keys whose values are not the same in all runs
  std::vector<std::string> remarks;   ///< what makes the figures hard to compare
};

/// Compares runs; at least one.
[[nodiscard]] Comparison compare_runs(std::span<const RunFacts> runs);

/// @return the tables as plain text. Runs that do not fit beside each other follow below.
/// @param width columns that a line may take
[[nodiscard]] std::string comparison_text(const Comparison& comparison, int width);

}  // namespace minnow
