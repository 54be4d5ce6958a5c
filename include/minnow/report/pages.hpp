#pragma once
/// @file
/// Writes HTML pages that open offline: everything, Dygraphs for the curves too, is inside.

#include <span>
#include <string>
#include <string_view>

#include "minnow/report/comparison.hpp"
#include "minnow/report/run_facts.hpp"

namespace minnow {

/// Tells one run: figures, what stands out, curves, samples over time, where the time went, model, settings, machine.
/// @param version of the program, for the last line
/// @return one HTML file. The same run on the same machine gives the same bytes.
[[nodiscard]] std::string run_page(const RunFacts& run, std::string_view version);

/// Tells several runs: their curves over each other, final figures, settings that differ.
/// @param runs in the order of `comparison`
[[nodiscard]] std::string comparison_page(std::span<const RunFacts> runs, const Comparison& comparison,
                                          std::string_view version);

}  // namespace minnow
