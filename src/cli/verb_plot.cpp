/// @file
/// `minnow plot`: draws the curves of runs in the terminal, once or for as long as they grow.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "cli/curve_options.hpp"
#include "cli/live_screen.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"

namespace minnow::cli {
namespace {

namespace fs = std::filesystem;

struct PlotArguments {
  std::vector<std::string> runs;
  CurveOptions curves;
  std::int64_t width = 0;
  std::int64_t height = 0;
  bool follow = false;
};

constexpr int kMostPlotColumns = 1000;  // columns
constexpr int kUsualHeight = 16;        // rows of the drawing
constexpr int kLeastHeight = 4;

/// A run that has logged nothing yet is no error while it is watched.
std::vector<PlotCurve> curves_of(const PlotArguments& arguments, bool complain) {
  std::vector<PlotCurve> curves;
  for (const std::string& path : arguments.runs) {
    if (!complain && !fs::exists(metrics_file(path))) {
      PlotCurve& curve = curves.emplace_back();
      curve.name = fs::path(path).filename().string();
      curve.figures = "nothing logged yet";
      continue;
    }
    const RunMetrics run = read_run_metrics(path, "plot");
    if (complain) {
      require_metric(run, path, arguments.curves.metric);
      if (run.bad_lines > 0) {
        print_warning(fmt::format("[plot] {}: {} lines are no metrics and were skipped", path, grouped(run.bad_lines)));
      }
    }
    curves.push_back(make_plot_curve(run, arguments.curves.metric, arguments.curves.curve_axis()));
  }
  return curves;
}

PlotOptions plot_options(const PlotArguments& arguments, int columns) {
  PlotOptions options = arguments.curves.plot_options();
  options.width = arguments.width > 0 ? static_cast<int>(arguments.width) : std::min(columns, kMostPlotColumns);
  options.height = arguments.height > 0 ? static_cast<int>(arguments.height) : kUsualHeight;
  return options;
}

/// Changes when a log does.
std::vector<std::pair<std::uintmax_t, fs::file_time_type>> stamps(const PlotArguments& arguments) {
  std::vector<std::pair<std::uintmax_t, fs::file_time_type>> all;
  for (const std::string& run : arguments.runs) {
    std::error_code ignored;
    const fs::path file = metrics_file(run);
    all.emplace_back(fs::file_size(file, ignored), fs::last_write_time(file, ignored));
  }
  return all;
}

/// Fills the window: what legend and axis leave is the drawing's.
std::string draw_live(const PlotArguments& arguments, ScreenSize size) {
  const std::vector<PlotCurve> curves = curves_of(arguments, false);
  PlotOptions options = plot_options(arguments, size.columns);
  const bool empty = std::all_of(curves.begin(), curves.end(),
                                 [](const PlotCurve& curve) { return curve.line.empty() && curve.marks.empty(); });
  if (empty) return fmt::format("Waiting for the first {} ... (Ctrl-C leaves)\n", printable(arguments.curves.metric));
  if (arguments.height == 0) {
    options.height = kLeastHeight;
    const std::string small = plot_curves(curves, options);
    const auto lines = static_cast<int>(std::count(small.begin(), small.end(), '\n'));
    options.height = std::max(kLeastHeight, size.rows - (lines - kLeastHeight));
  }
  return plot_curves(curves, options);
}

int follow(const PlotArguments& arguments) {
  if (!is_terminal(STDOUT_FILENO)) {
    throw ConfigError("[plot] --follow needs a terminal to draw in. Hint: leave it out to print the curves once");
  }
  auto seen = stamps(arguments);
  LiveContent content;
  content.changed = [&] {
    auto now = stamps(arguments);
    const bool changed = now != seen;
    seen = std::move(now);
    return changed;
  };
  content.draw = [&](ScreenSize size) { return draw_live(arguments, size); };
  return follow_screen(content);
}

int plot(const PlotArguments& arguments) {
  if (arguments.follow) return follow(arguments);
  const std::vector<PlotCurve> curves = curves_of(arguments, true);
  print_result(plot_curves(curves, plot_options(arguments, terminal_width(STDOUT_FILENO))));
  return 0;
}

Action setup_plot(Options& options) {
  const auto arguments = std::make_shared<PlotArguments>();
  options.arguments("RUN", arguments->runs, "Directories of runs, or metrics.jsonl files");
  arguments->curves.declare(options);
  options.flag("-f,--follow,--watch", arguments->follow,
               "Fill the window, and draw anew when a run logs or the window changes, until Ctrl-C");
  options.integer("--width", arguments->width, "Columns; 0 = as the terminal has", 0, kMostPlotColumns);
  options.integer("--height", arguments->height, "Rows of the drawing; 0 = 16, or with --follow what fits", 0, 200);
  options.footer(
      "The line is the metric (its mean where points share a column), the marks are val_METRIC of the evaluations.\n"
      "Examples:\n  minnow plot runs/quickstart --follow\n  minnow plot runs/a runs/b --log --x tokens\n"
      "  minnow plot runs/a --metric grad_norm\n");
  return [arguments] { return plot(*arguments); };
}

}  // namespace

const Verb kVerbPlot = {"plot", "Draw the curves of runs in the terminal", "Look", setup_plot};

}  // namespace minnow::cli
