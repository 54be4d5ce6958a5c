#pragma once
/// @file
/// The parts of a page, as HTML.

#include <optional>
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

/// @param body HTML
[[nodiscard]] std::string section_html(std::string_view title, const std::string& body);
/// @return a table that scrolls by itself on a narrow screen. @param label text; @param head, body cells and rows in
/// HTML
[[nodiscard]] std::string table_html(std::string_view label, const std::string& head, const std::string& body);

[[nodiscard]] std::string cards_html(const std::vector<Card>& cards);
[[nodiscard]] std::string observations_html(const std::vector<Observation>& observations);
[[nodiscard]] std::string samples_html(const std::vector<LoggedSample>& samples);
[[nodiscard]] std::string model_html(const RunFacts& run);
[[nodiscard]] std::string settings_html(const RunFacts& run);
[[nodiscard]] std::string machine_html(const RunFacts& run);
/// @return what `train --profile` found; empty where it was not used.
[[nodiscard]] std::string profile_html(const std::optional<Profile>& profile);

/// @param title of the section; @param heading of the first column
[[nodiscard]] std::string compared_html(std::string_view title, std::string_view heading,
                                        const std::vector<std::string>& names, const std::vector<ComparedRow>& rows);

}  // namespace minnow
