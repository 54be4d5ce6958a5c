#pragma once
/// @file
/// Draws loss curves with characters.

#include <span>
#include <string>

#include "minnow/report/loss_curves.hpp"

namespace minnow {

/// What the terminal can show, and how.
struct PlotOptions {
  int width = 80;          ///< columns of the whole drawing, at least 30 are used
  int height = 16;         ///< rows of the drawing area, at least 4 are used
  bool unicode = true;     ///< braille dots (2 x 4 per character); false: ASCII only
  bool color = false;      ///< ANSI colours, one per run
  bool log_scale = false;  ///< logarithmic loss axis
};

/// Draws the training losses as a line (the mean of the points that share a column) and each evaluation as a mark, all
/// runs over each other, with axes, a legend and a line of final figures per run.
///
/// Without colour, several runs are told apart by letters: a, b, ... their training losses, A, B, ... their
/// evaluations.
/// @param runs at least one, each with a point
/// @return lines that end in line feeds, none wider than options.width.
/// Throws: DataError when a logarithmic axis is asked for and no loss is above 0.
[[nodiscard]] std::string plot_losses(std::span<const LossCurves> runs, const PlotOptions& options);

}  // namespace minnow
