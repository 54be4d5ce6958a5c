#pragma once
/// @file
/// Puts a page of one script together.

#include <string>
#include <string_view>

namespace minnow {

/// What one page holds. HTML, already escaped, but for the title.
struct ScriptPage {
  std::string_view title;
  std::string_view style, script;
  std::string_view body;
  std::string_view data = {};  ///< JSON in the element "data"
};

/// @return the whole file. A content security policy lets its one script run and nothing load.
[[nodiscard]] std::string script_page(const ScriptPage& page);

}  // namespace minnow
