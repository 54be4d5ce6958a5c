/// @file
/// `minnow train`: trains a model, shows how it goes, saves, resumes.

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/config_file.hpp"
#include "cli/human.hpp"
#include "cli/json_line.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "cli/use_threads.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/gen/generate.hpp"
#include "minnow/train/trainer.hpp"

namespace minnow::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string config;
  std::vector<std::string> overrides;
  std::string run, init_from;
  bool resume = false, overwrite = false, dry_run = false, exact = false, allow_data_change = false, json = false,
       quiet = false;
};

/// Shows a person what the run does, on stderr.
class Narrator final : public TrainObserver {
 public:
  explicit Narrator(bool quiet) : quiet_(quiet), color_(use_color(STDERR_FILENO)) {}

  void on_start(const TrainStart& start) override {
    if (quiet_) return;
    print_line(fmt::format("{} {}", styled("run", Style::kBold, color_), printable(start.run_dir.string())));
    print_line(
        fmt::format("{} parameters, {} thread{}", grouped(start.parameters), threads(), threads() == 1 ? "" : "s"));
    for (const std::string& line : start.data) print_line(printable(line));
    if (start.first_step > 0) print_line(fmt::format("going on after step {}", start.first_step));
    line_ = std::make_unique<ProgressLine>(ProgressLine::on_stderr(start.max_steps, start.first_step, "step"));
  }
  void on_step(const TrainProgress& now) override {
    if (now.logged) rate_ = now.tokens_per_s;
    if (!line_) return;
    std::string tail = fmt::format("loss {:.4f}", now.loss);
    if (rate_ > 0) tail += fmt::format("  {} tok/s", human_count(rate_));
    line_->update(now.step, tail);
    if (now.score) {
      std::string text = fmt::format("step {:>6}  loss {:.4f}  val loss {:.4f}  perplexity {:.2f}", now.step, now.loss,
                                     now.score->loss, now.score->perplexity);
      if (now.score->bits_per_byte > 0) text += fmt::format("  bits/byte {:.4f}", now.score->bits_per_byte);
      say(text);
    }
    if (!sample_.empty()) {
      say(styled(fmt::format("sample at step {}:", now.step), Style::kDim, color_));
      say(sample_);
      sample_.clear();
    }
  }
  /// It stands below the score of its step, which comes later.
  void on_sample(std::int64_t, const std::string& text) override {
    if (!quiet_) sample_ = printable(text);
  }
  void on_note(const std::string& text) override {
    if (!quiet_) say(printable(text));
  }
  void on_warning(const std::string& text) override {
    say(styled(fmt::format("minnow: warning: {}", printable(text)), Style::kYellow, color_));
  }
  void finish() {
    if (line_) line_->finish();
    line_.reset();
  }

 private:
  void say(const std::string& text) {
    if (line_) {
      line_->message(text);
    } else {
      print_line(text);
    }
  }

  bool quiet_, color_;
  double rate_ = 0;
  std::string sample_;
  std::unique_ptr<ProgressLine> line_;
};

std::string sample_text(LanguageModel& model, const Tokenizer* tokenizer, const SampleConfig& sample,
                        std::uint64_t seed, std::int64_t step) {
  if (tokenizer == nullptr) return "";
  GenerateOptions options;
  options.sampler = {.temperature = sample.temperature,
                     .top_k = sample.top_k,
                     .seed = seed ^ (static_cast<std::uint64_t>(step) << 20U)};
  options.count = sample.count;
  options.max_tokens = sample.max_tokens;
  options.interrupted = [] { return stop_exit_code() != 0; };
  const auto prompt = prompt_ids(*tokenizer, sample.prompt, UnknownCharacter::kReplace);
  std::string text;
  for (const Generation& one : generate(model, tokenizer, prompt, options)) {
    text += fmt::format("{}{}{}", text.empty() ? "" : "\n---\n", sample.prompt, one.text);
  }
  return text;
}

fs::path run_directory(const Arguments& arguments, const Config& config) {
  if (!arguments.run.empty()) return arguments.run;
  if (!config.run.dir.empty()) return config.run.dir;
  return fs::path("runs") / fs::path(arguments.config).stem();
}

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
  print_line(fmt::format("step {}: {}", result.step, result.message));
  if (result.best_val_loss)
    print_line(fmt::format("best val loss {:.4f} at step {}", *result.best_val_loss, result.best_step));
  if (!result.state_hash.empty()) print_line(fmt::format("state sha256 {}", result.state_hash));
  print_line(fmt::format("next: minnow sample {0} | minnow plot {0} | minnow eval {0}", run.string()));
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
  print_result(json_line({{"run", run.string()},
                          {"reason", reason_name(result.reason)},
                          {"step", result.step},
                          {"val_loss", number(result.val_loss)},
                          {"best_val_loss", number(result.best_val_loss)},
                          {"best_step", result.best_step},
                          {"state_sha256", result.state_hash}}));
}

int run(const Arguments& arguments) {
  TrainOptions options;
  options.config = read_config_file(arguments.config, arguments.overrides);
  options.run_dir = run_directory(arguments, options.config.config);
  options.resume = arguments.resume;
  options.overwrite = arguments.overwrite;
  options.exact = arguments.exact;
  options.allow_data_change = arguments.allow_data_change;
  options.init_from = arguments.init_from;
  options.sampler = sample_text;
  options.interrupted = stop_exit_code;
  if (options.resume && options.overwrite)
    throw ConfigError("[train] --resume and --overwrite exclude each other; got both");
  if (arguments.dry_run && !options.resume)
    throw ConfigError(
        "[train] --dry-run must come with --resume; it came alone. Hint: `minnow config check` checks a file");
  use_threads(options.config.config.compute.threads);
  if (arguments.dry_run) return report_findings(options, arguments.json);
  install_stop_signals();
  Narrator narrator(arguments.quiet);
  options.observer = &narrator;
  const TrainResult result = train(options);
  narrator.finish();
  if (result.reason == StopReason::kNumeric) throw NumericError(result.message);
  if (!arguments.quiet) print_summary(result, options.run_dir);
  if (arguments.json) print_json(result, options.run_dir);
  return result.exit_code;
}

Action setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.argument("CONFIG", arguments->config, "Configuration in TOML");
  options.overrides(arguments->overrides);
  options.text("--run", arguments->run, "Run directory (default: run.dir, or runs/<name of the configuration>)");
  options.flag("--resume", arguments->resume, "Go on from the newest checkpoint, or start when there is none");
  options.flag("--overwrite", arguments->overwrite, "Start over where a run already is");
  options.flag("--dry-run", arguments->dry_run, "With --resume: list every difference and its verdict, train nothing");
  options.flag("--exact", arguments->exact, "Refuse to resume where bits could differ");
  options.flag("--allow-data-change", arguments->allow_data_change, "Resume although the data files changed");
  options.text("--init-from", arguments->init_from, "Start from the weights of this run, at step 0");
  options.flag("--json", arguments->json, "Write the outcome as JSON to stdout");
  options.flag("-q,--quiet", arguments->quiet, "Say nothing but warnings and errors");
  options.footer(
      "Examples:\n  minnow train configs/quickstart.toml\n  minnow train configs/names.toml --set train.max_steps=500 "
      "--run runs/short\n"
      "  minnow train configs/names.toml --resume\n");
  return [arguments] { return run(*arguments); };
}

}  // namespace

const Verb kVerbTrain = {"train", "Train a model from a configuration, or go on with a run", "Training", setup};

}  // namespace minnow::cli
