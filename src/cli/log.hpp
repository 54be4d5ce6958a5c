#pragma once
/// @file
/// Writes the log of what the program does: lines for people, on stderr, by level. Hides spdlog.

#include <functional>
#include <string>
#include <string_view>

#include "cli/options.hpp"

namespace minnow::cli {

/// How important a line is.
enum class LogLevel {
  kTrace,    ///< every step
  kDebug,    ///< checkpoints, logged steps, times
  kInfo,     ///< what a person wants to see; the default
  kWarning,  ///< what a person should look at
  kError,    ///< why the program ended
};

/// Shows lines from this level on. At kInfo and above a line stands as it is, warnings and errors with their level in
/// front; at kDebug and kTrace each line begins with the time of day and its level.
void set_log_level(LogLevel level);

/// @return whether a line of this level would be shown.
[[nodiscard]] bool log_shows(LogLevel level);

/// Writes one line (without its line feed). Control characters are the caller's: see printable().
void log_line(LogLevel level, std::string_view text);

/// Where lines go; an empty function: to stderr. For whoever draws a line of progress there.
void set_log_writer(std::function<void(std::string_view line)> writer);

/// Declares `--log-level LEVEL`.
void log_level_option(Options& options, std::string& target);

/// Sets the level that was chosen with log_level_option(). @param quiet nothing below warnings, whatever was chosen
void use_log_level(const std::string& chosen, bool quiet = false);

}  // namespace minnow::cli
