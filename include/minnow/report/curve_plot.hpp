#pragma once
/// @file
/// Draws curves of runs with characters.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/report/run_metrics.hpp"

namespace minnow {

/// What the points of a curve stand against.
enum class CurveAxis { kStep, kTokens, kTime };

/// One point of a drawing.
struct PlotPoint {
  double x = 0;  ///< step, tokens or seconds
  double y = 0;  ///< finite
};

/// What one run gives to a drawing: a line and, for what evaluations measure, marks.
struct PlotCurve {
  std::string name;              ///< of the run
  std::string metric;            ///< of the line: loss, lr, ...
  std::vector<PlotPoint> line;   ///< by ascending x
  std::vector<PlotPoint> marks;  ///< the same metric of the evaluations, val_<metric>, if there is one
  std::string figures;           ///< "step 1000, loss 1.2345, val_loss 1.3456, best 1.3401 at step 900"
};

/// Takes one metric of a run.
/// @param metric name of a column; the marks are those of val_<metric>
/// @return a curve that may be empty. With kTokens and kTime, rows without `tokens` or `seconds` are left out.
[[nodiscard]] PlotCurve make_plot_curve(const RunMetrics& run, std::string_view metric, CurveAxis axis);

/// What the terminal can show, and how.
struct PlotOptions {
  int width = 80;          ///< columns of the whole drawing, at least 30 are used
  int height = 16;         ///< rows of the drawing area, at least 4 are used
  bool unicode = true;     ///< braille dots (2 x 4 per character); false: ASCII only
  bool color = false;      ///< ANSI colours, one per run
  bool log_scale = false;  ///< logarithmic y axis
  CurveAxis axis = CurveAxis::kStep;
};

/// Draws the lines (the mean of the points that share a column) and each evaluation as a mark, all runs over each
/// other, with axes, a legend and a line of final figures per run.
///
/// Without colour, several runs are told apart by letters: a, b, ... their lines, A, B, ... their evaluations.
/// @param runs at least one, at least one of them with a point
/// @return lines that end in line feeds, none wider than options.width.
/// Throws: DataError when there is nothing to draw, as on a logarithmic axis without a value above 0.
[[nodiscard]] std::string plot_curves(std::span<const PlotCurve> runs, const PlotOptions& options);

}  // namespace minnow
