#pragma once
/// @file
/// Reads the curves as a person with experience would, and says what stands out.

#include <string>
#include <vector>

#include "minnow/report/run_facts.hpp"

namespace minnow {

enum class Tone { kInfo, kGood, kWarn, kBad };

/// One sentence about a run.
struct Observation {
  Tone tone = Tone::kInfo;
  std::string text;
};

/// @return what stands out, the most serious first: values that are not finite, skipped steps, overfitting, spikes,
/// clipping, an unfinished run, a loss that still falls.
[[nodiscard]] std::vector<Observation> observe(const RunFacts& facts);

}  // namespace minnow
