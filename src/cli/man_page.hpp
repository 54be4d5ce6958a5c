#pragma once
/// @file
/// Writes the manual page from the tables of commands and keys.

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_table.hpp"

namespace minnow::cli {

/// @param text one line or several.
/// @return the text as roff reads it back: no character is taken for a request or an escape.
std::string roff_escaped(std::string_view text);

/// @param date as YYYY-MM-DD.
/// @return the page minnow(1) in roff's man macros.
std::string man_page(const std::vector<CommandRow>& table, std::string_view version, std::string_view date);

}  // namespace minnow::cli
