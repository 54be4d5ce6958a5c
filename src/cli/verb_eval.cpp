/// @file
/// `minnow eval`: scores a trained model on its validation data, or on other data.

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/json_line.hpp"
#include "cli/log.hpp"
#include "cli/progress.hpp"
#include "cli/run_options.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "cli/use_threads.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/tasks/language_modeling.hpp"
#include "minnow/train/run.hpp"

namespace minnow::cli {
namespace {

constexpr double kSilentSeconds = 1;

struct EvalArguments {
  std::string run, data;
  std::string checkpoint = "auto", weights = "auto", unknown, log_level = "info";
  std::int64_t batch_size = 0, threads = 0;
  bool json = false;
};

/// The run's own data must be what it was trained on: another split would be scored, perhaps with training text in it.
void require_same_data(const LoadedRun& run, const DataFingerprint& now) {
  try {
    check_same_data(run.data, now);
  } catch (const DataError& error) {
    throw DataError(
        fmt::format("{} `minnow eval {} --data FILE` scores any text.", error.what(), run.directory.string()));
  }
}

/// The data of the run, or all of what `--data` names.
Dataset open_data(const LoadedRun& run, const EvalArguments& arguments) {
  if (arguments.data.empty() && run.data.files.empty()) {
    throw ConfigError(
        fmt::format("[eval] --data must say what to score: {} is a model without data of its own. Hint: --data FILE",
                    run.directory.string()));
  }
  Config config = run.config;
  if (!arguments.unknown.empty()) {
    config.tokenizer.unknown = arguments.unknown == "replace" ? UnknownPolicy::kReplace : UnknownPolicy::kError;
  }
  DatasetOptions opening = dataset_options(config, run.tokenizer);
  if (!run.tokenizer) opening.model_without_tokenizer = run.directory.string();
  opening.model_tokenizer_unused = run.tokenizer_unused;
  if (arguments.data.empty()) {
    opening.files_read = [&](const DataFingerprint& now) { require_same_data(run, now); };
  } else {
    opening.path = arguments.data;
    opening.val_path.clear();
    opening.split = SplitRule::kScore;
    opening.format = FileFormat::kAuto;
  }
  Dataset data = Dataset::open(opening);
  if (data.vocab_size() > run.model->vocab_size()) {
    throw DataError(fmt::format("[eval] the data must be made of the model's {} tokens; got data with {}",
                                grouped(run.model->vocab_size()), grouped(data.vocab_size())));
  }
  for (const std::string& note : data.notes()) log_line(LogLevel::kInfo, printable(note));
  return data;
}

std::string unknown_bytes(const LoadedRun& run, const UnknownText& unknown) {
  if (run.tokenizer && !run.tokenizer->keeps_text()) return "unknown (the tokenizer does not keep the text as it is)";
  return unknown.characters > 0 ? "unknown (no character of the text is in the vocabulary)" : "unknown (no text)";
}

void print_score(const LmScore& score, const UnknownText& unknown, const LoadedRun& run, bool json) {
  const bool bytes_known = score.bits_per_byte > 0;
  if (json) {
    const auto number = [](double value) {  // JSON has neither NaN nor infinity
      return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
    };
    nlohmann::ordered_json object = {{"val_loss", number(score.loss)}, {"perplexity", number(score.perplexity)}};
    object["bits_per_byte"] = bytes_known ? number(score.bits_per_byte) : nlohmann::ordered_json();
    object["targets"] = score.targets;
    object["unknown_characters"] = unknown.characters;  // their bytes are not in bits_per_byte
    object["step"] = run.step;
    print_result(json_line(object));
    return;
  }
  print_result(
      fmt::format("val_loss       {:.6f}  nats per token\nperplexity     {:.4f}\nbits_per_byte  {}\n"
                  "targets        {}\nstep           {}\n",
                  score.loss, score.perplexity,
                  bytes_known ? fmt::format("{:.4f}", score.bits_per_byte) : unknown_bytes(run, unknown),
                  grouped(score.targets), run.step));
}

/// Throws: NumericError when the model predicts no numbers.
void require_number(const LmScore& score, const LoadedRun& run) {
  if (std::isfinite(score.loss)) return;
  throw NumericError(
      fmt::format("[eval] the loss must be a finite number; {} of step {} gives {}. Hint: `minnow inspect {}` shows "
                  "which weights are "
                  "not finite; --checkpoint takes an older one",
                  run.directory.string(), run.step, score.loss, run.directory.string()));
}

/// Scores with a line of progress, where it takes so long that a person wonders.
std::optional<LmScore> score_all(const LoadedRun& run, const Dataset& data, std::int64_t batch, bool json) {
  std::optional<ProgressLine> line;
  const bool wanted = log_shows(LogLevel::kInfo) && (!json || is_terminal(STDERR_FILENO));
  if (wanted) line.emplace(ProgressLine::on_stderr(data.val().windows(), 0, "window", kSilentSeconds));
  const auto score = evaluate(
      *run.model, data, batch, [] { return stop_signal().load() != 0; },
      [&](Index done, Index) {
        if (line) line->update(done, "");
      });
  if (line) line->finish();
  return score;
}

int eval(const EvalArguments& arguments) {
  const WhichCheckpoint which = WhichCheckpoint::parse(arguments.checkpoint);
  use_log_level(arguments.log_level);
  use_threads(arguments.threads);
  const LoadedRun run = open_run(arguments.run, which, parse_weights(arguments.weights));
  for (const std::string& warning : run.warnings) print_warning(warning);
  const Dataset data = open_data(run, arguments);
  const EvalConfig& settings = run.config.eval;
  const std::int64_t batch = arguments.batch_size > 0  ? arguments.batch_size
                             : settings.batch_size > 0 ? settings.batch_size
                                                       : run.config.train.micro_batch();
  install_stop_signals();
  const auto score = score_all(run, data, batch, arguments.json);
  if (!score) return stop_exit_code();
  if (std::isfinite(score->loss) || arguments.json) print_score(*score, data.val_facts().unknown, run, arguments.json);
  require_number(*score, run);
  return 0;
}

Action setup_eval(Options& options) {
  const auto arguments = std::make_shared<EvalArguments>();
  options.argument("RUN", arguments->run, "Directory of a run, or a checkpoint in it");
  options.text("--data", arguments->data, "Score all of this file or folder instead of the run's validation split");
  options.integer("--batch-size", arguments->batch_size, "Windows at once; changes no result. 0 = as in the run", 0,
                  1000000);
  options.text("--checkpoint", arguments->checkpoint,
               "best, latest, a step, or auto (the default) = best, else latest");
  weights_option(options, arguments->weights);
  options.choice("--unknown", arguments->unknown, {"error", "replace"},
                 "What becomes of a character that the model does not know; default: as in the run");
  threads_option(options, arguments->threads);
  log_level_option(options, arguments->log_level);
  options.flag("--json", arguments->json, "Write JSON to stdout");
  options.footer(
      "Every token of the split but the first is predicted exactly once.\n"
      "Examples:\n  minnow eval runs/quickstart --json\n  minnow eval runs/quickstart --data other.txt\n");
  return [arguments] { return eval(*arguments); };
}

}  // namespace

const Verb kVerbEval = {"eval", "Score a trained model on validation data", "Use", setup_eval};

}  // namespace minnow::cli
