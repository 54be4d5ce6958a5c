/// @file
/// `minnow export`: writes what a run learned or logged in the forms of other programs.

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "cli/output_file.hpp"
#include "cli/run_options.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/exchange/write_folder.hpp"
#include "minnow/io/file.hpp"
#include "minnow/io/tfevents.hpp"
#include "minnow/report/export.hpp"
#include "minnow/train/run.hpp"

namespace minnow::cli {
namespace {

namespace fs = std::filesystem;

struct ExportArguments {
  std::string run;
  std::string format;
  std::string out;
  std::string checkpoint = "auto", weights = "auto";
  bool overwrite = false;
};

/// The log does not say when it began; its last change and the seconds in it do.
double start_of(const fs::path& log, const RunMetrics& run) {
  const auto changed = std::chrono::file_clock::to_sys(fs::last_write_time(log));
  const double end = std::chrono::duration<double>(changed.time_since_epoch()).count();
  const auto seconds = run.last("seconds");
  return seconds ? end - seconds->value : end;
}

/// TensorBoard takes every directory with an event file for a run: the one written here holds no other.
int export_tensorboard(const ExportArguments& arguments) {
  const RunFacts run = read_run_facts(arguments.run, "export");
  for (const std::string& problem : run.problems) print_warning(problem);
  const std::string folder = arguments.out.empty() ? beside_metrics(arguments.run, "tensorboard") : arguments.out;
  if (folder == "-") throw ConfigError("[export] --out must name a directory for --format tensorboard; got -");
  if (path_exists(fs::path(folder) / "metrics.jsonl")) {  // its own event file would go
    throw ConfigError(
        fmt::format("[export] --out must name a directory for the event file alone; {} holds a run. Hint: {}", folder,
                    (fs::path(folder) / "tensorboard").string()));
  }
  const double start = start_of(metrics_file(arguments.run), run.metrics);
  const std::string events = tensorboard_events(run, start);
  make_directories(folder);
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("events.out.tfevents.") && name.ends_with(".minnow")) remove_file(entry.path());
  }
  write_output((fs::path(folder) / new_events_name(start)).string(), events, false);
  print_line(fmt::format("look at it with: tensorboard --logdir {}", printable(folder)));
  return 0;
}

int export_csv(const ExportArguments& arguments) {
  const RunMetrics run = read_run_metrics(arguments.run, "export");
  if (run.bad_lines > 0) print_warning(fmt::format("[export] {} lines are no metrics and were skipped", run.bad_lines));
  const bool own = arguments.out.empty();
  write_output(own ? beside_metrics(arguments.run, "metrics.csv") : arguments.out, metrics_csv(run),
               own || arguments.overwrite);
  return 0;
}

/// A model folder: what transformers loads.
int export_huggingface(const ExportArguments& arguments) {
  if (arguments.out == "-") throw ConfigError("[export] --out must name a directory for --format huggingface; got -");
  const fs::path folder =
      arguments.out.empty() ? fs::path(beside_metrics(arguments.run, "huggingface")) : fs::path(arguments.out);
  const LoadedRun run =
      open_run(arguments.run, WhichCheckpoint::parse(arguments.checkpoint), parse_weights(arguments.weights));
  for (const std::string& warning : run.warnings) print_warning(warning);
  exchange::ModelToWrite what{.model = run.config.model,
                              .vocab_size = run.model->vocab_size(),
                              .parameters = {},
                              .tokenizer = run.tokenizer.get(),
                              .prompt_start = run.prompt_start,
                              .sample = run.config.sample};
  for (const Parameter& parameter : run.model->parameters().all()) {
    what.parameters.push_back(
        {parameter.name, {parameter.tensor.data<float>(), static_cast<std::size_t>(parameter.tensor.numel())}});
  }
  const std::vector<std::string> files = exchange::write_model_folder(folder, what);
  print_line(fmt::format("wrote {} (step {}): {}", printable(folder.string()), run.step, fmt::join(files, ", ")));
  if (run.tokenizer == nullptr) print_warning("[export] the model has no tokenizer: the folder has none either");
  return 0;
}

int export_run(const ExportArguments& arguments) {
  if (arguments.format.empty()) {
    throw ConfigError("[export] --format must say what to write: huggingface, csv or tensorboard");
  }
  if (arguments.format == "huggingface") return export_huggingface(arguments);
  if (arguments.checkpoint != "auto" || arguments.weights != "auto") {
    throw ConfigError(
        fmt::format("[export] --checkpoint and --weights must come with --format huggingface: {} is made of the log",
                    arguments.format));
  }
  return arguments.format == "csv" ? export_csv(arguments) : export_tensorboard(arguments);
}

Action setup_export(Options& options) {
  const auto arguments = std::make_shared<ExportArguments>();
  options.argument("RUN", arguments->run, "Directory of a run, or a metrics.jsonl");
  options.choice("--format", arguments->format, {"huggingface", "csv", "tensorboard"},
                 "huggingface: the model as transformers loads it; csv: metrics as a table; tensorboard: event file");
  options.text("-o,--out", arguments->out,
               "csv: the file, without it RUN/metrics.csv, - is stdout; others: the directory, without it "
               "RUN/huggingface or RUN/tensorboard");
  options.flag("--overwrite", arguments->overwrite, "csv: replace the file that --out names");
  options.text("--checkpoint", arguments->checkpoint,
               "huggingface: best, latest, a step, or auto (the default) = best, else latest");
  weights_option(options, arguments->weights);
  options.footer(
      "The event file has the metrics by step, the samples and the configuration. (Training writes one with the "
      "metrics\n"
      "into the run by itself.) A model that no class of transformers computes is refused with the reason; `minnow\n"
      "plan` says so before.\n"
      "Examples:\n  minnow export runs/quickstart --format huggingface --out my_model\n"
      "  minnow export runs/quickstart --format csv --out -\n"
      "  minnow export runs/quickstart --format tensorboard\n");
  return [arguments] { return export_run(*arguments); };
}

}  // namespace

const Verb kVerbExport = {"export", "Write the model or the log of a run for other programs", "Look", setup_export};

}  // namespace minnow::cli
