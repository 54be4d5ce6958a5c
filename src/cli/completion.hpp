#pragma once
/// @file
/// Writes shell scripts that complete the command line. They hold the tables of verbs, options and keys, so that they
/// need nothing but the shell; only files and runs are looked for.

#include <string>
#include <vector>

#include "cli/command_table.hpp"

namespace minnow::cli {

/// A command with the words that lead to it: "config check".
struct CommandPath {
  std::string path;
  const CommandRow* row;
};

/// @return the commands of the table and theirs, each behind the one that it belongs to.
std::vector<CommandPath> all_commands(const std::vector<CommandRow>& table);

/// @return the text in single quotes, as POSIX shells read it.
std::string shell_quoted(const std::string& text);

/// @return the names of keys, tables first if wanted, parted by blanks.
std::string key_words(bool with_tables);

/// @return the names of the operations, parted by blanks.
std::string op_words();

std::string bash_completion(const std::vector<CommandRow>& table);
std::string zsh_completion(const std::vector<CommandRow>& table);
std::string fish_completion(const std::vector<CommandRow>& table);

}  // namespace minnow::cli
