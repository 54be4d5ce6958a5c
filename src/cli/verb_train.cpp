/// @file
/// `minnow train`: trains a model, shows how it goes, saves, resumes.

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/called_name.hpp"
#include "cli/init_from.hpp"
#include "cli/json_line.hpp"
#include "cli/log.hpp"
#include "cli/narrator.hpp"
#include "cli/run_request.hpp"
#include "cli/signals.hpp"
#include "cli/standard_input.hpp"
#include "cli/terminal.hpp"
#include "cli/train_sampler.hpp"
#include "cli/use_threads.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/config/keys.hpp"
#include "minnow/io/file.hpp"
#include "minnow/io/run_lock.hpp"
#include "minnow/train/trainer.hpp"
#include "train/kept_text.hpp"
#include "train/resume.hpp"

namespace minnow::cli {
namespace {

namespace fs = std::filesystem;

struct TrainArguments {
  std::string config;
  std::vector<std::string> overrides;
  std::string run, data, stdin_is = "text", init_from, log_level = "info";
  bool resume = false, overwrite = false, dry_run = false, exact = false, allow_data_change = false, json = false,
       quiet = false, profile = false;
};

int report_findings(const TrainOptions& options, bool json) {
  const auto findings = compare_with_run(options);
  auto list = nlohmann::ordered_json::array();
  bool refused = false;
  for (const ResumeFinding& finding : findings) {
    refused = refused || finding.verdict == "refused";
    list.push_back(
        {{"what", finding.what}, {"before", finding.before}, {"now", finding.now}, {"verdict", finding.verdict}});
    if (!json) print_line(finding.text());
  }
  if (json) print_result(json_line({{"resumable", !refused}, {"findings", list}}));
  if (!json)
    print_line(findings.empty() ? "nothing differs: a resume continues bit by bit"
               : refused        ? "a resume would be refused"
                                : "a resume would go on");
  return static_cast<int>(refused ? ExitCode::kCheckpoint : ExitCode::kDone);
}

void print_summary(const TrainResult& result, const fs::path& run) {
  const auto say = [](const std::string& text) { log_line(LogLevel::kInfo, printable(text)); };
  say(fmt::format("step {}: {}", result.step, result.message));
  if (result.val_loss && result.best_windows > 0 && result.val_windows == 0)
    say(fmt::format("val loss of the whole split {:.4f}", *result.val_loss));
  if (result.best_val_loss)
    say(fmt::format(
        "best val loss {:.4f} at step {}{}", *result.best_val_loss, result.best_step,
        result.best_windows > 0 ? fmt::format(", on {} windows of the split", grouped(result.best_windows)) : ""));
  if (!result.state_hash.empty()) say(fmt::format("state sha256 {}", result.state_hash));
  const bool unfinished = result.reason == StopReason::kInterrupted || result.reason == StopReason::kTimeLimit;
  say(as_called(fmt::format("next: {1}minnow sample {0} | minnow plot {0} | minnow eval {0}", run.string(),
                            unfinished ? fmt::format("minnow train --resume {} | ", run.string()) : "")));
}

std::string_view reason_name(StopReason reason) {
  switch (reason) {
    case StopReason::kFinished:
      return "finished";
    case StopReason::kAlreadyFinished:
      return "already_finished";
    case StopReason::kEarlyStop:
      return "early_stop";
    case StopReason::kTimeLimit:
      return "time_limit";
    case StopReason::kInterrupted:
      return "interrupted";
    case StopReason::kNumeric:
      return "numeric";
  }
  return "finished";
}

void print_json(const TrainResult& result, const fs::path& run) {
  const auto number = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  // null: the whole validation split
  const auto windows = [](std::int64_t count) {
    return count > 0 ? nlohmann::ordered_json(count) : nlohmann::ordered_json();
  };
  print_result(json_line({{"run", run.string()},
                          {"reason", reason_name(result.reason)},
                          {"step", result.step},
                          {"val_loss", number(result.val_loss)},
                          {"val_windows", windows(result.val_windows)},
                          {"best_val_loss", number(result.best_val_loss)},
                          {"best_windows", windows(result.best_windows)},
                          {"best_step", result.best_step},
                          {"state_sha256", result.state_hash}}));
}

void check(const TrainArguments& arguments) {
  if (arguments.resume && arguments.overwrite)
    throw ConfigError("[train] --resume and --overwrite exclude each other; got both");
  if (arguments.dry_run && !arguments.resume)
    throw ConfigError(
        "[train] --dry-run must come with --resume; it came alone. Hint: `minnow config check` checks a file");
}

/// Takes the text that came by standard input along: it is kept in the run directory, which holds its own from then on.
/// Bad data leave nothing behind.
class KeptInput {
 public:
  /// Names the kept text where `request` names standard input.
  KeptInput(const TrainArguments& arguments, RunRequest& request) : run_dir_(request.run_dir) {
    DataConfig& data = request.config.config.data;
    if (data.path != kInputWord) return;
    for (const std::string_view name : {kKeptInput, kKeptJsonl}) {
      if (!arguments.resume || !path_exists(run_dir_ / name)) continue;
      data.path = (run_dir_ / name).string();
      request.notes.push_back(fmt::format("the text is {}, which the run has kept", data.path));
      return;
    }
    kept_ = run_dir_ / (arguments.stdin_is == "jsonl" ? kKeptJsonl : kKeptInput);
    data.path = kept_.string();
    request.notes.push_back(fmt::format("the text of standard input is kept as {}", kept_.string()));
  }

  /// Reads standard input where it is named. @return false when a signal asked to stop.
  /// Throws: as keep_standard_input; ConfigError and BusyError where the directory is another run's.
  [[nodiscard]] bool keep(bool overwrite) {
    if (kept_.empty()) return true;
    if (holds_a_run(run_dir_)) {
      if (!overwrite) refuse();
      const RunLock lock = RunLock::acquire(run_dir_);  // nobody else is using it
    }
    require_no_other_contents(run_dir_, "train");
    return text_.keep(kept_);
  }

  /// From here on the directory is the run's, and the text with it. One of the other form was of a run before.
  void set_begun() {
    text_.set_stays();
    if (kept_.empty()) return;
    for (const std::string_view name : {kKeptInput, kKeptJsonl}) {
      if (run_dir_ / name != kept_) remove_file(run_dir_ / name);
    }
  }

 private:
  [[noreturn]] void refuse() const {
    throw ConfigError(fmt::format(
        "[train] the run directory must be new; {} already holds a run, and standard input was not read. Hint: "
        "--resume goes on with it, --overwrite starts over, --run names another directory",
        run_dir_.string()));
  }

  fs::path run_dir_, kept_;
  KeptText text_;
};

/// --data is --set data.path in short.
RunWords words_of(const TrainArguments& arguments) {
  RunWords words{
      .config = arguments.config, .run = arguments.run, .overrides = arguments.overrides, .resume = arguments.resume};
  if (arguments.data.empty()) return words;
  Config named;
  named.data.path = arguments.data;
  words.overrides.push_back(fmt::format("data.path={}", value_text(*find_key("data.path"), named)));
  return words;
}

int run(const TrainArguments& arguments) {
  use_log_level(arguments.log_level, arguments.quiet);
  check(arguments);
  const RunWords words = words_of(arguments);
  RunRequest request = resolve_run(words);
  if (!arguments.init_from.empty() && !arguments.resume) take_model_of(arguments.init_from, words, request);
  install_stop_signals();
  KeptInput input(arguments, request);
  if (!input.keep(arguments.overwrite)) return stop_exit_code();
  for (const std::string& note : request.notes) log_line(LogLevel::kInfo, printable(note));
  TrainOptions options;
  options.config = request.config;
  options.run_dir = request.run_dir;
  options.resume = arguments.resume;
  options.overwrite = arguments.overwrite;
  options.exact = arguments.exact;
  options.allow_data_change = arguments.allow_data_change;
  options.init_from = arguments.init_from;
  options.profile = arguments.profile;
  options.sampler = train_sampler();
  options.interrupted = stop_exit_code;
  use_threads(options.config.config.compute.threads);
  if (arguments.dry_run) return report_findings(options, arguments.json);
  Narrator narrator;
  options.observer = &narrator;
  options.begun = [&input] { input.set_begun(); };
  const TrainResult result = train(options);
  narrator.finish();
  if (result.reason == StopReason::kNumeric) throw NumericError(result.message);
  print_summary(result, options.run_dir);
  if (result.profile) log_line(LogLevel::kInfo, "\n" + profile_table(*result.profile));
  if (arguments.json) print_json(result, options.run_dir);
  return result.exit_code;
}

Action setup_train(Options& options) {
  const auto arguments = std::make_shared<TrainArguments>();
  options.argument("CONFIG", arguments->config, "Configuration in TOML; with --resume also the directory of a run",
                   false);
  options.overrides(arguments->overrides);
  options.text("--run", arguments->run, "Run directory (default: run.dir, or runs/<name of the configuration>)");
  options.text(
      "--data", arguments->data,
      "What to train on, in place of data.path: a file, a folder, or - for standard input, which the run keeps");
  options.choice("--stdin", arguments->stdin_is, {"text", "jsonl"}, "What standard input holds");
  options.flag("--resume", arguments->resume,
               "Go on from the newest checkpoint, or start when there is none; without CONFIG with the run's own "
               "configuration");
  options.flag("--overwrite", arguments->overwrite, "Start over where a run already is");
  options.flag("--dry-run", arguments->dry_run, "With --resume: list every difference and its verdict, train nothing");
  options.flag("--exact", arguments->exact, "Refuse to resume where bits could differ");
  options.flag("--allow-data-change", arguments->allow_data_change, "Resume although the data files changed");
  options.text("--init-from", arguments->init_from,
               "Start from the weights of this run or model folder, at step 0; keys of [model] that "
               "CONFIG does not set are taken along");
  options.flag("--profile", arguments->profile,
               "Take the time of every operation, of data, log, evaluation and checkpoints; a table at the end, in the "
               "run directory and in `minnow report`");
  options.flag("--json", arguments->json, "Write the outcome as JSON to stdout");
  options.flag("-q,--quiet", arguments->quiet, "Say nothing but warnings and errors");
  log_level_option(options, arguments->log_level);
  options.footer(
      "Examples:\n  minnow train configs/quickstart.toml\n  minnow train configs/names.toml --set train.max_steps=500 "
      "--run runs/short\n"
      "  minnow train --resume runs/short\n"
      "  zstdcat my.txt.zst | minnow train configs/quickstart.toml --data - --run runs/my\n"
      "What was given with --set when the run began still counts on a resume; what differs from it is listed.\n");
  return [arguments] { return run(*arguments); };
}

}  // namespace

const Verb kVerbTrain = {"train", "Train a model from a configuration, or go on with a run", "Training", setup_train};

}  // namespace minnow::cli
