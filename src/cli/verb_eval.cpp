/// @file
/// `minnow eval`: scores a trained model on its validation data, or on other data.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/json_line.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "cli/use_threads.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/tasks/language_modeling.hpp"
#include "minnow/train/run.hpp"

namespace minnow::cli {
namespace {

struct Arguments {
  std::string run, data;
  std::string checkpoint = "auto", unknown;
  std::int64_t batch_size = 0, threads = 0;
  bool json = false;
};

/// The data of the run, or all of what `--data` names.
Dataset open_data(const LoadedRun& run, const Arguments& arguments) {
  Config config = run.config;
  if (!arguments.data.empty()) {
    config.data.path = arguments.data;
    config.data.val_path = arguments.data;
    config.data.split = SplitKind::kFile;
    config.data.format = DataFormat::kAuto;
  }
  if (!arguments.unknown.empty()) {
    config.tokenizer.unknown = arguments.unknown == "replace" ? UnknownPolicy::kReplace : UnknownPolicy::kError;
  }
  Dataset data = Dataset::open(dataset_options(config, run.tokenizer));
  if (data.vocab_size() > run.model->vocab_size()) {
    throw DataError(fmt::format("[eval] the data must be made of the model's {} tokens; got data with {}",
                                run.model->vocab_size(), data.vocab_size()));
  }
  for (const std::string& note : data.notes()) print_line(note);
  return data;
}

void print_score(const LmScore& score, const LoadedRun& run, bool json) {
  const bool bytes_known = score.bits_per_byte > 0;
  if (json) {
    nlohmann::ordered_json object = {{"val_loss", score.loss}, {"perplexity", score.perplexity}};
    object["bits_per_byte"] = bytes_known ? nlohmann::ordered_json(score.bits_per_byte) : nlohmann::ordered_json();
    object["targets"] = score.targets;
    object["step"] = run.step;
    print_result(json_line(object));
    return;
  }
  print_result(fmt::format(
      "val_loss       {:.6f}  nats per token\nperplexity     {:.4f}\nbits_per_byte  {}\n"
      "targets        {}\nstep           {}\n",
      score.loss, score.perplexity, bytes_known ? fmt::format("{:.4f}", score.bits_per_byte) : "unknown (no text)",
      score.targets, run.step));
}

int eval(const Arguments& arguments) {
  const WhichCheckpoint which = WhichCheckpoint::parse(arguments.checkpoint);
  use_threads(arguments.threads);
  const LoadedRun run = open_run(arguments.run, which);
  for (const std::string& warning : run.warnings) print_warning(warning);
  const Dataset data = open_data(run, arguments);
  const EvalConfig& settings = run.config.eval;
  const std::int64_t batch = arguments.batch_size > 0  ? arguments.batch_size
                             : settings.batch_size > 0 ? settings.batch_size
                                                       : run.config.train.micro_batch();
  install_stop_signals();
  const auto score = evaluate(*run.model, data, batch, [] { return stop_signal().load() != 0; });
  if (!score) return stop_exit_code();
  print_score(*score, run, arguments.json);
  return 0;
}

Action setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.argument("RUN", arguments->run, "Directory of a run, or a checkpoint in it");
  options.text("--data", arguments->data, "Score all of this file or folder instead of the run's validation split");
  options.integer("--batch-size", arguments->batch_size, "Windows at once; changes no result. 0 = as in the run", 0,
                  1000000);
  options.text("--checkpoint", arguments->checkpoint,
               "best, latest, a step, or auto (the default) = best, else latest");
  options.choice("--unknown", arguments->unknown, {"error", "replace"},
                 "What becomes of a character that the model does not know; default: as in the run");
  threads_option(options, arguments->threads);
  options.flag("--json", arguments->json, "Write JSON to stdout");
  options.footer(
      "Every token of the split but the first is predicted exactly once.\n"
      "Examples:\n  minnow eval runs/quickstart --json\n  minnow eval runs/quickstart --data other.txt\n");
  return [arguments] { return eval(*arguments); };
}

}  // namespace

const Verb kVerbEval = {"eval", "Score a trained model on validation data", "Use", setup};

}  // namespace minnow::cli
