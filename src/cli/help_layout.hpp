#pragma once
/// @file
/// Sets the help of a verb: texts are wrapped to the window.

#include <memory>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): the name is CLI11's
class App;
class FormatterBase;
}  // namespace CLI

namespace minnow::cli {

/// @return the layout that every App uses.
std::shared_ptr<CLI::FormatterBase> help_layout();

/// @return the help of `app`. @param parent words in front of its name in the line of usage, empty for a verb.
/// @param commands whether the help of its sub-commands follows.
std::string set_help(const CLI::App& app, const std::string& parent, bool commands);

}  // namespace minnow::cli
