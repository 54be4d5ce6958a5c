/// @file
/// `minnow compare`: sets runs side by side, in the terminal or as a page.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/curve_options.hpp"
#include "cli/json_line.hpp"
#include "cli/output_file.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "minnow/report/pages.hpp"

#ifndef MINNOW_VERSION
#define MINNOW_VERSION "unknown"
#endif

namespace minnow::cli {
namespace {

struct CompareArguments {
  std::vector<std::string> runs;
  CurveOptions curves;
  std::string out;
  bool json = false, overwrite = false;
};

constexpr int kMostCompareColumns = 1000;  // columns

/// The drawing, or nothing where no run has a value to draw.
std::string drawing(const CompareArguments& arguments, const std::vector<RunFacts>& runs, const Comparison& comparison,
                    int width) {
  std::vector<PlotCurve> curves;
  bool any = false;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    curves.push_back(make_plot_curve(runs[i].metrics, arguments.curves.metric, arguments.curves.curve_axis()));
    curves.back().name = comparison.names[i];
    any = any || !curves.back().line.empty() || !curves.back().marks.empty();
  }
  if (!any) return "";
  PlotOptions options = arguments.curves.plot_options();
  options.width = width;
  return plot_curves(curves, options) + "\n";
}

nlohmann::ordered_json rows_json(const std::vector<ComparedRow>& rows) {
  auto json = nlohmann::ordered_json::object();
  for (const ComparedRow& row : rows) json[row.label.substr(row.label.find_first_not_of(' '))] = row.cells;
  return json;
}

int compare(const CompareArguments& arguments) {
  require_free_output(arguments.out, arguments.overwrite);
  std::vector<RunFacts> runs;
  for (const std::string& run : arguments.runs) runs.push_back(read_run_facts(run, "compare"));
  const Comparison comparison = compare_runs(runs);
  if (arguments.json) {
    print_result(json_line({{"runs", comparison.names},
                            {"figures", rows_json(comparison.figures)},
                            {"settings", rows_json(comparison.settings)},
                            {"remarks", comparison.remarks}}));
  } else if (arguments.out != "-") {
    const int width = std::min(terminal_width(STDOUT_FILENO), kMostCompareColumns);
    print_result(drawing(arguments, runs, comparison, width) + printable(comparison_text(comparison, width)));
  }
  if (!arguments.out.empty())
    write_output(arguments.out, comparison_page(runs, comparison, MINNOW_VERSION), arguments.overwrite);
  return 0;
}

Action setup_compare(Options& options) {
  const auto arguments = std::make_shared<CompareArguments>();
  options.arguments("RUN", arguments->runs, "Directories of runs, or metrics.jsonl files");
  options.text("-o,--out", arguments->out, "Also write a page with the curves over each other; - is stdout");
  overwrite_option(options, arguments->overwrite);
  arguments->curves.declare(options);
  options.flag("--json", arguments->json, "Print the tables as one JSON line");
  options.footer(
      "Prints the curves, the final figures (* the best) and the settings that differ.\n"
      "Examples:\n  minnow compare runs/a runs/b\n  minnow compare runs/* --x tokens --out compare.html\n");
  return [arguments] { return compare(*arguments); };
}

}  // namespace

const Verb kVerbCompare = {"compare", "Set runs side by side: curves, figures, settings", "Look", setup_compare};

}  // namespace minnow::cli
