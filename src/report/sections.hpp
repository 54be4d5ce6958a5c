#pragma once
/// @file
/// The parts of a page, as HTML.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "minnow/report/comparison.hpp"
#include "minnow/report/run_facts.hpp"
#include "report/observations.hpp"

namespace minnow {

/// A figure with its name and a line below it.
struct Card {
  std::string name, value, below;
};

[[nodiscard]] std::string cards_html(const std::vector<Card>& cards);
[[nodiscard]] std::string observations_html(const std::vector<Observation>& observations);
[[nodiscard]] std::string samples_html(const std::vector<LoggedSample>& samples);
[[nodiscard]] std::string model_html(const RunFacts& run);
[[nodiscard]] std::string settings_html(const RunFacts& run);
[[nodiscard]] std::string machine_html(const RunFacts& run);

/// @param title of the section; @param heading of the first column
[[nodiscard]] std::string compared_html(std::string_view title, std::string_view heading,
                                        const std::vector<std::string>& names, const std::vector<ComparedRow>& rows);

}  // namespace minnow
