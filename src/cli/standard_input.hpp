#pragma once
/// @file
/// Keeps what standard input holds as a file: it can be read once, and a run must find its text again.

#include <filesystem>
#include <string_view>

#include "minnow/io/missing_directories.hpp"

namespace minnow::cli {

/// The word that names standard input where a path is expected.
inline constexpr std::string_view kInputWord = "-";

/// Tells a person at a terminal that text is awaited, and how it ends. Nothing where standard input is a file or pipe.
void note_terminal_input();

/// Writes standard input to `path`, to its end, whole or not at all; a file that is there is replaced. Folders on the
/// way are made once there is something to put in. Memory: one block.
/// @return false when a signal asked to stop; nothing is left then.
/// Throws: DataError when there is no byte; IoError.
[[nodiscard]] bool keep_standard_input(const std::filesystem::path& path);

/// A text of standard input that is kept for something which may yet be refused: then what was there before is there
/// again.
class KeptText {
 public:
  KeptText() = default;
  /// Takes the text back, and directories that were made for it, unless set_stays() was called.
  ~KeptText();
  KeptText(const KeptText&) = delete;
  KeptText& operator=(const KeptText&) = delete;

  /// Calls keep_standard_input(). To be called once. Throws: as that one.
  [[nodiscard]] bool keep(const std::filesystem::path& path);
  void set_stays();

 private:
  std::filesystem::path path_;    ///< empty: nothing to take back
  std::filesystem::path before_;  ///< where the file that was at path_ is meanwhile; empty: there was none
  MissingDirectories made_;
};

}  // namespace minnow::cli
