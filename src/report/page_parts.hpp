#pragma once
/// @file
/// Names what embed.cmake takes into the program for the pages of reports.

#include <string_view>

namespace minnow {

extern const std::string_view kDygraphsScript;
extern const std::string_view kDygraphsStyle;
extern const std::string_view kDygraphsLicense;
extern const std::string_view kPageScript;       // src/report/page/page.js
extern const std::string_view kPageStyle;        // src/report/page/page.css
extern const std::string_view kAttentionScript;  // attention.js there, and so on
extern const std::string_view kAttentionStyle;
extern const std::string_view kWalkScript;
extern const std::string_view kWalkStyle;

}  // namespace minnow
