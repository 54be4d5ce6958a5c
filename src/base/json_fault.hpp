#pragma once
/// @file
/// Says where a text stops being JSON, and why, without the words of the library that found it.

#include <cstddef>
#include <string>
#include <string_view>

namespace minnow {

/// @param name  of the file. @param byte  as the library counts it: 1 for the first, 0 for none
/// @return "NAME:LINE:COLUMN"; columns are bytes
[[nodiscard]] std::string json_place(std::string_view name, std::string_view text, std::size_t byte);

/// @param what  the library's message, such as "[json.exception.parse_error.101] parse error at line 1, column 2:
/// syntax error while parsing value - invalid literal; last read: 'no'"
/// @return "invalid literal; last read: 'no'", of what was read last the end only.
[[nodiscard]] std::string json_reason(std::string_view what);

}  // namespace minnow
