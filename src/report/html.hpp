#pragma once
/// @file
/// Writes text of unknown origin into HTML so that it stays text.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace minnow {

/// @return the text for the body or a quoted attribute: marks escaped, wrong UTF-8 as U+FFFD, control characters that
/// HTML does not allow as their pictures (U+2400 and on).
[[nodiscard]] std::string html_text(std::string_view text);

/// @return a JSON string with quotes that neither ends a script nor begins a comment in it.
[[nodiscard]] std::string script_string(std::string_view text);

/// @return a JSON number, `null` for kNotLogged, `false` for kNotFinite. Six digits: finer than any screen.
[[nodiscard]] std::string script_number(double value);

/// @return the bytes in Base64. Source: RFC 4648, section 4.
[[nodiscard]] std::string base64(std::span<const std::uint8_t> bytes);

/// @return what a content security policy calls a script of this text, with its quotes.
[[nodiscard]] std::string script_hash(std::string_view script);

}  // namespace minnow
