#pragma once
/// @file
/// The lines of earlier chats, kept in a file of the user's.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/io/run_log.hpp"

namespace minnow::cli {

/// Lines that a history holds; older ones are forgotten.
inline constexpr std::size_t kHistoryLines = 1000;

/// A history on disk: one entry a line, a line feed within it as \n, a backslash as two. Only its owner can read it.
/// Every entry is appended at once, so chats at the same time mix theirs and lose none.
class ChatHistory {
 public:
  /// @param path the file; it and its directory need not exist
  explicit ChatHistory(std::filesystem::path path) : path_(std::move(path)) {}

  /// @return where histories belong: minnow/chat_history in XDG_STATE_HOME, else in ~/.local/state; empty when neither
  /// names an absolute directory. Source: XDG Base Directory Specification 0.8.
  [[nodiscard]] static std::filesystem::path usual_path();

  /// @return the newest kHistoryLines entries, the newest last; those that could command a terminal are left out. A
  /// file that has grown to twice as many is cut to them. Throws: IoError.
  [[nodiscard]] std::vector<std::string> read();

  /// Appends an entry; one beyond 16 KiB is left out. Throws: IoError.
  void add(std::string_view entry);

 private:
  std::filesystem::path path_;
  std::optional<AppendFile> file_;
};

}  // namespace minnow::cli
