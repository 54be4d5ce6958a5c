/// @file
/// `minnow plan`: what a run would take, before it begins.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/human.hpp"
#include "cli/json_line.hpp"
#include "cli/run_request.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "cli/use_threads.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/train/plan.hpp"

namespace minnow::cli {
namespace {

using Json = nlohmann::ordered_json;

struct PlanArguments {
  std::string config, run;
  std::vector<std::string> overrides;
  double seconds = 5;
  bool json = false, strict = false;
};

std::string bytes_text(double bytes) {
  constexpr double kMost = 9e18;  // absurd configurations reach beyond 64 bits
  return bytes < kMost ? human_bytes(static_cast<std::uint64_t>(bytes)) : fmt::format("{:.1e} B", bytes);
}

/// A table of one heading per block; the lines of a block begin with blanks.
class Page {
 public:
  void block(std::string_view title, const std::string& figure) {
    const std::string padded = fmt::format("{:<12}", title);
    text_ += styled(padded, Style::kBold, use_color(STDOUT_FILENO)) + indented(figure);
  }
  void line(std::string_view name, const std::string& figure) { text_ += fmt::format("  {:<15}{}\n", name, figure); }
  void add(const std::string& text) { text_ += std::string(kIndent, ' ') + indented(text); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  static constexpr int kIndent = 12;

  /// @return the text, broken to the window; its further lines stand below the first one.
  static std::string indented(const std::string& text) {
    constexpr int kNarrowest = 20;
    std::string lines = wrapped(text, std::max(reading_width(STDOUT_FILENO) - kIndent, kNarrowest));
    for (auto at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 1))
      lines.insert(at + 1, kIndent, ' ');
    return lines + "\n";
  }

  std::string text_;
};

void add_parts(const TrainPlan& plan, Page& page) {
  page.block("parameters",
             fmt::format("{} ({})", grouped(std::llround(plan.parameters)), human_count(plan.parameters)));
  for (const ParameterPart& part : plan.parts) {
    page.line(part.name,
              fmt::format("{:>14}  {:4.1f} %", grouped(std::llround(part.count)), 100 * part.count / plan.parameters));
  }
  page.block("memory", fmt::format("about {}; {} ({})", bytes_text(plan.memory.total()),
                                   plan.available.bytes == UINT64_MAX ? "no limit is known"
                                                                      : human_bytes(plan.available.bytes) + " are free",
                                   plan.available.source));
  for (const MemoryPart& part : plan.memory.parts()) {
    if (part.bytes > 0) page.line(part.name, fmt::format("{:>14}", bytes_text(part.bytes)));
  }
}

std::string ratio_text(double ratio) {
  if (ratio >= kBestTokensPerParameter * 2)
    return "more than the 20 at which computing is best spent: a larger model would learn more";
  if (ratio * 2 <= kBestTokensPerParameter)
    return "less than the 20 at which computing is best spent: a smaller model or more steps would learn more";
  return "near the 20 at which computing is best spent";
}

void add_data(const TrainPlan& plan, Page& page) {
  page.block("data", fmt::format("{} tokens to train on, {} to validate, vocabulary {}", grouped(plan.train_tokens),
                                 grouped(plan.val_tokens), grouped(plan.vocab_size)));
  page.block("training",
             fmt::format("{} steps of {} tokens: {} tokens, {:.2f} passes over the data", grouped(plan.max_steps),
                         grouped(std::llround(plan.tokens_per_step)), human_count(plan.tokens), plan.epochs));
  page.add(
      fmt::format("{:.2g} tokens per parameter: {}", plan.tokens_per_parameter, ratio_text(plan.tokens_per_parameter)));
}

std::string step_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1000) : human_duration(seconds);
}

void add_time(const TrainPlan& plan, Page& page) {
  if (!plan.speed) {
    page.block("time", plan.memory_fits() ? "not measured" : "not measured: the run does not fit into the memory");
    return;
  }
  const PlanSpeed& speed = *plan.speed;
  page.block("speed",
             fmt::format("{} tokens/s, {} per step ({} steps timed, {} threads)", human_count(speed.tokens_per_s),
                         step_text(speed.seconds_per_step), speed.steps, threads()));
  if (plan.evaluations_left > 0) {
    page.add(fmt::format(
        "{} per evaluation, {} of them{}", human_duration(speed.seconds_per_evaluation), grouped(plan.evaluations_left),
        speed.seconds_of_last_evaluation > speed.seconds_per_evaluation
            ? fmt::format("; the last one, of the whole split, {}", human_duration(speed.seconds_of_last_evaluation))
            : ""));
  }
  page.block("time",
             fmt::format("{} in all{}", human_duration(plan.seconds_total),
                         plan.steps_done > 0 ? fmt::format(", {} left after step {}", human_duration(plan.seconds_left),
                                                           grouped(plan.steps_done))
                                             : ""));
}

std::string plan_text(const TrainPlan& plan) {
  Page page;
  add_parts(plan, page);
  page.block("disk",
             fmt::format("{}{} a checkpoint, at most {} at once: {}; {} are free",
                         plan.checkpoint_exact ? "" : "about ", bytes_text(plan.checkpoint_bytes), plan.checkpoints,
                         bytes_text(plan.checkpoint_bytes * static_cast<double>(plan.checkpoints)),
                         human_bytes(plan.disk_free)));
  page.block("export", plan.exports_as.empty() ? "not to Hugging Face: " + plan.why_not_out
                                               : "to Hugging Face as " + plan.exports_as);
  add_data(plan, page);
  add_time(plan, page);
  const bool color = use_color(STDOUT_FILENO);
  std::string text = page.text();
  if (plan.warnings.empty()) return text + styled("no warnings", Style::kGreen, color) + "\n";
  constexpr std::string_view kFront = "warning";
  for (const PlanWarning& warning : plan.warnings) {
    const std::string line =
        wrapped(fmt::format("{} {}: {}", kFront, warning.key, warning.text), reading_width(STDOUT_FILENO));
    text += styled(kFront, Style::kYellow, color) + line.substr(kFront.size()) + "\n";
  }
  return text;
}

Json plan_json(const TrainPlan& plan) {
  Json parts = Json::object(), memory = Json::object(), warnings = Json::array();
  for (const ParameterPart& part : plan.parts) parts[part.name] = part.count;
  for (const MemoryPart& part : plan.memory.parts()) memory[part.name] = std::round(part.bytes);
  for (const PlanWarning& warning : plan.warnings) warnings.push_back({{"key", warning.key}, {"text", warning.text}});
  Json json{{"parameters", plan.parameters},
            {"parameters_by_part", parts},
            {"memory_bytes", std::round(plan.memory.total())},
            {"memory_bytes_by_part", memory},
            {"memory_free_bytes", plan.available.bytes == UINT64_MAX ? Json() : Json(plan.available.bytes)},
            {"memory_fits", plan.memory_fits()},
            {"checkpoint_bytes", plan.checkpoint_bytes},
            {"checkpoints", plan.checkpoints},
            {"disk_needed_bytes", plan.disk_bytes},
            {"disk_free_bytes", plan.disk_free},
            {"exports_as", plan.exports_as.empty() ? Json() : Json(plan.exports_as)},
            {"why_not_exported", plan.why_not_out.empty() ? Json() : Json(plan.why_not_out)},
            {"vocab_size", plan.vocab_size},
            {"train_tokens", plan.train_tokens},
            {"val_tokens", plan.val_tokens},
            {"steps_done", plan.steps_done},
            {"max_steps", plan.max_steps},
            {"tokens_per_step", plan.tokens_per_step},
            {"tokens", plan.tokens},
            {"epochs", plan.epochs},
            {"tokens_per_parameter", plan.tokens_per_parameter}};
  const bool timed = plan.speed.has_value();
  json["tokens_per_s"] = timed ? Json(plan.speed->tokens_per_s) : Json();
  json["seconds_per_step"] = timed ? Json(plan.speed->seconds_per_step) : Json();
  json["seconds_per_evaluation"] = timed ? Json(plan.speed->seconds_per_evaluation) : Json();
  json["seconds_of_last_evaluation"] = timed ? Json(plan.speed->seconds_of_last_evaluation) : Json();
  json["evaluations_left"] = plan.evaluations_left;
  json["seconds_total"] = timed ? Json(plan.seconds_total) : Json();
  json["seconds_left"] = timed ? Json(plan.seconds_left) : Json();
  json["warnings"] = warnings;
  return json;
}

int plan(const PlanArguments& arguments) {
  std::error_code ignored;
  const bool is_run = std::filesystem::is_directory(arguments.config, ignored);
  const RunRequest request = resolve_run(
      {.config = arguments.config, .run = arguments.run, .overrides = arguments.overrides, .resume = is_run});
  use_threads(request.config.config.compute.threads);
  install_stop_signals();
  const TrainPlan made = make_plan(
      {.config = request.config, .run_dir = request.run_dir, .measure_seconds = arguments.seconds, .interrupted = [] {
         return stop_signal().load() != 0;
       }});
  if (const int stopped = stop_exit_code()) return stopped;
  print_result(arguments.json ? json_line(plan_json(made)) : plan_text(made));
  require_memory(made.memory, made.available);  // as train does: the numbers above say why
  const bool fails = arguments.strict && !made.warnings.empty();
  return static_cast<int>(fails ? ExitCode::kUsage : ExitCode::kDone);
}

Action setup_plan(Options& options) {
  const auto arguments = std::make_shared<PlanArguments>();
  options.argument("CONFIG", arguments->config,
                   "Configuration in TOML, or the directory of a run, for what it has left");
  options.overrides(arguments->overrides);
  options.text("--run", arguments->run, "Run directory that is meant (default: as train)");
  options.number("--seconds", arguments->seconds, "How long steps are timed; 0 = not at all", 0, 3600);
  options.flag("--strict", arguments->strict, "End with exit code 2 when there are warnings");
  options.flag("--json", arguments->json, "Write JSON to stdout");
  options.footer(
      "Trains nothing and writes nothing: the steps that are timed are made in memory and forgotten. Warnings alone "
      "do\n"
      "not fail; what train refuses (a wrong setting 2, data 3, disk 5, memory 7) ends plan with the same exit code.\n"
      "Examples:\n  minnow plan configs/quickstart.toml\n  minnow plan configs/gpt2_124m.toml --set train.batch_size=4 "
      "--seconds 30\n");
  return [arguments] { return plan(*arguments); };
}

}  // namespace

const Verb kVerbPlan = {"plan", "Tell what a run would take: memory, disk, time; and what looks wrong", "Training",
                        setup_plan};

}  // namespace minnow::cli
