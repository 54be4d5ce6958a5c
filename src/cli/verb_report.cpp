/// @file
/// `minnow report`: writes a page about a run.

#include <fmt/format.h>

#include <filesystem>

#include "cli/human.hpp"
#include "cli/output_file.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "minnow/report/pages.hpp"

#ifndef MINNOW_VERSION
#define MINNOW_VERSION "unknown"
#endif

namespace minnow::cli {
namespace {

struct ReportArguments {
  std::string run;
  std::string out;
  bool overwrite = false;
};

int report(const ReportArguments& arguments) {
  require_free_output(arguments.out, arguments.overwrite);
  const RunFacts run = read_run_facts(arguments.run, "report");
  for (const std::string& problem : run.problems) print_warning(problem);
  const std::string out = arguments.out.empty() ? beside_metrics(arguments.run, "report.html") : arguments.out;
  // The one in the run directory is the run's own.
  write_output(out, run_page(run, MINNOW_VERSION), arguments.overwrite || arguments.out.empty());
  return 0;
}

Action setup_report(Options& options) {
  const auto arguments = std::make_shared<ReportArguments>();
  options.argument("RUN", arguments->run, "Directory of a run, or a metrics.jsonl");
  options.text("-o,--out", arguments->out, "The file; without it RUN/report.html; - is stdout");
  overwrite_option(options, arguments->overwrite);
  options.footer(
      "One HTML file that opens in any browser without a network: curves with zoom and smoothing, samples over time,\n"
      "settings, model, machine. RUN/report.html is written anew each time; a run that is being trained may be looked "
      "at.\n"
      "Example:\n  minnow report runs/quickstart\n");
  return [arguments] { return report(*arguments); };
}

}  // namespace

const Verb kVerbReport = {"report", "Write a page about a run, to open in a browser", "Look", setup_report};

}  // namespace minnow::cli
