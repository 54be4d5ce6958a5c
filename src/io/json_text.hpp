#pragma once
/// @file
/// Small JSON helpers, so that the JSON library stays in few files.

#include <optional>
#include <string>
#include <string_view>

namespace minnow::detail {

/// @return `text` as a JSON string with quotes, or nothing if it is not UTF-8.
[[nodiscard]] std::optional<std::string> json_quote(std::string_view text);

/// @return the text that a JSON string (with quotes) stands for, or nothing if it is not one.
[[nodiscard]] std::optional<std::string> json_unquote(std::string_view quoted);

/// @return `text` as a JSON string with quotes; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_quote_lossy(std::string_view text);

/// @return the shortest text that reads back as the same double, "null" if it is not finite.
[[nodiscard]] std::string json_number(double value);

/// @return `name` in quotes for a message: at most 80 characters, control characters and bytes above 126 as '?'.
[[nodiscard]] std::string shown(std::string_view name);

/// @return the number in field "step" if `line` is a JSON object that has one, else nothing.
[[nodiscard]] std::optional<long long> json_step(std::string_view line);

}  // namespace minnow::detail
