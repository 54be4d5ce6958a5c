#pragma once
/// @file
/// Reads case files: what to put in a folder, what to run there, what must come out. The format is in README.md.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace minnow::cases {

/// One thing that must hold after a command.
struct Expectation {
  enum class Kind {
    kOut,         ///< stdout has this text
    kErr,         ///< stderr has this text
    kOutMatches,  ///< some part of stdout matches this regular expression
    kErrMatches,
    kOutLacks,  ///< stdout does not have this text
    kErrLacks,
    kOutEmpty,
    kErrEmpty,
    kExists,   ///< this path exists
    kMissing,  ///< this path does not exist
    kFileHas,  ///< a file has this text: PATH TEXT
  };
  Kind kind;
  std::string text;
  int line;
};

/// A file to create or a command to run, in the order in which they stand.
struct Step {
  enum class Kind { kFile, kHex, kRun, kShell };
  Kind kind;
  std::string text;  ///< file name, arguments of minnow, or shell command
  std::string content;
  int exit_code = 0;
  double timeout_s = 20;
  std::string input;
  std::vector<std::string> environment;
  std::vector<Expectation> expectations;
  int line;
};

struct Case {
  std::string name;
  std::string file;
  int line = 0;
  bool needs_shared = false;
  bool needs_plain = false;                 ///< no sanitizer in the program under test
  std::vector<std::string> needs_commands;  ///< programs of the system
  std::vector<Step> steps;
};

/// Reads all cases of one file. Throws: std::runtime_error naming file and line.
std::vector<Case> read_cases(std::string_view text, const std::string& file);

/// Splits words as a shell does, with '...', "..." and backslash, without any expansion.
/// Throws: std::runtime_error for an open quote.
std::vector<std::string> split_words(std::string_view text);

}  // namespace minnow::cases
