#pragma once
/// @file
/// Redraws a text in a terminal whenever its window or its content changes.

#include <chrono>
#include <functional>
#include <string>

namespace minnow::cli {

/// Columns and rows of a terminal.
struct ScreenSize {
  int columns = 80;
  int rows = 24;
};

/// @return the size of the terminal behind stdout; 80 x 24 (or COLUMNS and LINES) if it is none.
ScreenSize screen_size();

/// What follow_screen() shows.
struct LiveContent {
  std::function<bool()> changed;                ///< asked between pauses: whether to draw anew
  std::function<std::string(ScreenSize)> draw;  ///< the whole text; lines beyond the last row are cut
  std::chrono::milliseconds pause{500};         ///< between two questions
};

/// Shows a text on the terminal's second screen and draws it anew when it changed or the window did, until a signal
/// asks to stop; the first screen then comes back as it was. stdout must be a terminal.
/// @return the exit code that belongs to the signal.
int follow_screen(const LiveContent& content);

}  // namespace minnow::cli
