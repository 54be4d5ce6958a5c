#pragma once
/// @file
/// Prints for people and for machines: results to stdout, everything else to stderr, colour only where it is wanted.

#include <cstdint>
#include <string>
#include <string_view>

#include "minnow/base/error.hpp"

namespace minnow::cli {

enum class Style { kPlain, kBold, kDim, kRed, kGreen, kYellow, kBlue };

/// @return whether the descriptor (1 = stdout, 2 = stderr) is a terminal.
bool is_terminal(int descriptor);

/// @return columns of the terminal behind the descriptor; COLUMNS or 80 if it is none.
int terminal_width(int descriptor);

/// @return columns for running text: those of the terminal (or COLUMNS), at most 110, which also holds for files.
int reading_width(int descriptor);

/// @return the text with lines broken at blanks before `columns`; a line that begins with a blank is an example and
/// stays. A word longer than a line stays whole.
std::string wrapped(const std::string& text, int columns);

/// @return whether colour goes to the descriptor: a terminal, TERM is not "dumb", and NO_COLOR is not set or empty.
bool use_color(int descriptor);

/// @return the text in a style, or unchanged when colour is off.
std::string styled(std::string_view text, Style style, bool color);

/// Whoever reads stdout has enough, as `head` and a pager do: the program ends, but nothing is wrong that had to be
/// said.
class ReaderLeft final : public IoError {
 public:
  using IoError::IoError;
};

/// Writes what was asked for (a JSON document, generated text, help) to stdout.
/// Throws: IoError when it cannot be written, as on a full disk; ReaderLeft.
void print_result(std::string_view text);

/// Forces out what print_result() wrote. Throws: IoError, ReaderLeft.
void flush_results();

/// Writes a line for a person to stderr. Failure is ignored: there is nowhere to report it.
void print_line(std::string_view text);

/// Writes `minnow: error: TEXT` or `minnow: warning: TEXT` to stderr, as lines of the log (log.hpp).
void print_error(std::string_view text);
void print_warning(std::string_view text);

/// @return the text with what a terminal would obey or cannot show (control characters but for line feed and tab, bytes
/// that are not UTF-8) written as \xNN: names of files and generated text must not command a terminal.
std::string printable(std::string_view text);

/// @return columns that the text takes: UTF-8 characters, without colour codes.
int display_width(std::string_view text);

/// @return the text cut to so many columns, colour codes kept and closed.
std::string cut_to_width(std::string_view text, int columns);

}  // namespace minnow::cli
