#pragma once
/// @file
/// Explains arguments that a verb does not take: what may have been meant.

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): the name is CLI11's
class App;
class ParseError;
}  // namespace CLI

namespace minnow::cli {

/// The sub-command that was parsed, or the App itself.
const CLI::App& innermost(const CLI::App& app);

/// @return the verb and its sub-command: "config check".
std::string full_name(const CLI::App& app, const std::string& verb);

/// Explains the first argument that nothing takes.
std::string extra_text(const CLI::App& app, const std::string& verb);

/// Explains an argument that is missing or whose value is wrong.
std::string wrong_text(const CLI::App& app, const std::string& verb, const CLI::ParseError& error);

}  // namespace minnow::cli
