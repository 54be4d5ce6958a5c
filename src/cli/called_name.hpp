#pragma once
/// @file
/// Names the program in examples as it was called, so that they can be copied: `build/minnow train ...` before it is
/// installed.

#include <string>
#include <string_view>

namespace minnow::cli {

/// @param name argv[0]. Only a relative path such as build/minnow is taken; a name that the shell found on PATH, and an
/// absolute path, which would swamp every message, stay `minnow`.
void set_called_name(std::string_view name);

/// @return the text with the program's name replaced where a command begins: behind a backquote, behind `next: ` and
/// `| `, and at the begin of a line that is indented by two blanks.
[[nodiscard]] std::string as_called(std::string_view text);

}  // namespace minnow::cli
