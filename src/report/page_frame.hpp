#pragma once
/// @file
/// The frame that all pages share: head, styles, scripts, the place of the curves.

#include <string>
#include <string_view>

namespace minnow {

/// What one page puts into the frame. HTML, already escaped, but for the title.
struct PageContent {
  std::string title;   ///< any text
  std::string head;    ///< below the heading
  std::string before;  ///< before the curves
  std::string after;   ///< behind them
  std::string data;    ///< JSON for the script
};

/// @return the whole file. A content security policy lets only the two scripts run that belong to it, and nothing load.
[[nodiscard]] std::string page_html(const PageContent& content, std::string_view version);

}  // namespace minnow
