/// @file
/// `minnow plot`: draws the loss curves of runs in the terminal.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/report/loss_plot.hpp"

namespace minnow::cli {
namespace {

struct Arguments {
  std::vector<std::string> runs;
  std::int64_t width = 0;
  std::int64_t height = 16;
  bool log_scale = false;
  bool ascii = false;
};

constexpr int kMost = 1000;  // columns

/// @return whether text in UTF-8 is shown as such, by the variables that the C library reads, without setting a locale.
bool shows_utf8() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    for (const char* const code : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
      if (std::strstr(value, code) != nullptr) return true;
    }
    return false;
  }
  return false;
}

int plot(const Arguments& arguments) {
  std::vector<LossCurves> runs;
  for (const std::string& run : arguments.runs) {
    runs.push_back(read_loss_curves(run));
    if (runs.back().bad_lines > 0) {
      print_warning(fmt::format("[plot] {}: {} lines are no metrics and were skipped", run,
                                grouped(static_cast<std::int64_t>(runs.back().bad_lines))));
    }
  }
  PlotOptions options;
  options.width =
      arguments.width > 0 ? static_cast<int>(arguments.width) : std::min(terminal_width(STDOUT_FILENO), kMost);
  options.height = static_cast<int>(arguments.height);
  options.unicode = !arguments.ascii && shows_utf8();
  options.color = use_color(STDOUT_FILENO);
  options.log_scale = arguments.log_scale;
  print_result(plot_losses(runs, options));
  return 0;
}

Action setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.arguments("RUN", arguments->runs, "Directories of runs, or metrics.jsonl files");
  options.flag("--log", arguments->log_scale, "Use a logarithmic loss axis");
  options.integer("--width", arguments->width, "Columns; 0 = as the terminal has", 0, kMost);
  options.integer("--height", arguments->height, "Rows of the drawing", 4, 200);
  options.flag("--ascii", arguments->ascii, "Use ASCII characters only (also without a UTF-8 locale)");
  options.footer(
      "The line is the training loss (its mean where points share a column), the marks are evaluations.\n"
      "Examples:\n  minnow plot runs/quickstart\n  minnow plot runs/a runs/b --log\n");
  return [arguments] { return plot(*arguments); };
}

}  // namespace

const Verb kVerbPlot = {"plot", "Draw the loss curves of runs in the terminal", "Look", setup};

}  // namespace minnow::cli
