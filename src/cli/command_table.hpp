#pragma once
/// @file
/// Lists verbs, commands and options as data, for the manual page and the completions.

#include <string>
#include <string_view>
#include <vector>

namespace minnow::cli {

/// What completes a value.
enum class ValueSource {
  kNothing,  ///< numbers, free text
  kChoices,  ///< one of the option's choices
  kKey,      ///< a key or table of the configuration
  kSetting,  ///< KEY=VALUE
  kConfig,   ///< a configuration file
  kStart,    ///< a configuration file or a run
  kRun,      ///< the folder of a run
  kFolder,
  kFile,
  kOp,    ///< an operation of the engine
  kVerb,  ///< a verb of this program
};

/// One option or positional argument.
struct OptionRow {
  std::vector<std::string> names;  ///< "--count", "-n"; a positional has one, without dashes
  std::string value;               ///< what help calls the value ("N", "TEXT", "KEY=VALUE"); empty for a flag
  std::vector<std::string> choices;
  std::string fallback;  ///< default as text; empty if there is none
  std::string doc;       ///< one line
  bool positional = false;
  bool required = false;
  bool repeated = false;
  ValueSource source = ValueSource::kNothing;

  [[nodiscard]] bool takes_value() const { return positional || !value.empty(); }
};

/// One verb, or a command of it such as `config check`.
struct CommandRow {
  std::string name;
  std::string doc;
  std::string footer;  ///< examples and remarks
  std::vector<OptionRow> options;
  std::vector<CommandRow> commands;
};

/// @return all verbs in the order of `minnow help`, and last `help` itself.
std::vector<CommandRow> command_table();

}  // namespace minnow::cli
