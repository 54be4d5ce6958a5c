#pragma once
/// @file
/// Reads the lines of a chat where there is no terminal to edit them on: a pipe, a file.

#include <string>

namespace minnow::cli {

/// Reads a line from stdin, without its end (LF or CR LF). @return false at the end of the input.
/// Throws: DataError for a line beyond 1 MiB, IoError when stdin cannot be read.
[[nodiscard]] bool read_plain_line(std::string& line);

/// A line that ends in a backslash goes on in the next one: takes the backslash away and adds a line feed.
/// @return whether it does
[[nodiscard]] bool goes_on(std::string& line);

}  // namespace minnow::cli
