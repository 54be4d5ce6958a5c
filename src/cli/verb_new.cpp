/// @file
/// `minnow new`: from a text to a configuration that fits it and this machine.

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/called_name.hpp"
#include "cli/human.hpp"
#include "cli/json_line.hpp"
#include "cli/signals.hpp"
#include "cli/standard_input.hpp"
#include "cli/terminal.hpp"
#include "cli/use_threads.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/file.hpp"
#include "minnow/train/propose.hpp"

namespace minnow::cli {
namespace {

namespace fs = std::filesystem;

struct NewArguments {
  std::string name, text, field = "text", tokenizer = "auto", stdin_is = "text";
  double minutes = 10, seconds = 3;
  std::int64_t threads = 0, vocab_size = 0;
  bool overwrite = false, json = false;
};

/// @return where the configuration goes: NAME.toml.
fs::path config_path(const NewArguments& arguments) {
  fs::path path = arguments.name;
  if (path.extension() != ".toml") path += ".toml";
  const std::string stem = path.stem().string();
  if (stem.empty() || stem.front() == '.' || stem.front() == '-')
    throw ConfigError(fmt::format("[new] TITLE must be a name for a file; got \"{}\"", arguments.name));
  if (!arguments.overwrite && path_exists(path)) {
    throw ConfigError(
        fmt::format("[new] {} must be free; it is there. Hint: --overwrite replaces it, `minnow train {}` "
                    "trains on it",
                    path.string(), arguments.name));
  }
  return path;
}

/// Keeps the text of standard input beside the configuration. @return false when a signal asked to stop.
bool keep_text(NewArguments& arguments, const fs::path& config, KeptText& text) {
  if (arguments.text != kInputWord) return true;
  fs::path kept = config;
  kept.replace_extension(arguments.stdin_is == "jsonl" ? ".jsonl" : ".txt");
  if (!arguments.overwrite && path_exists(kept)) {
    throw ConfigError(
        fmt::format("[new] the text of standard input is kept as {}, which must be free; it is there. Hint: "
                    "--overwrite replaces it, another TITLE leaves it alone",
                    kept.string()));
  }
  if (!text.keep(kept)) return false;
  arguments.text = kept.string();
  print_line(fmt::format("the text of standard input is kept as {}", printable(kept.string())));
  return true;
}

std::string proposal_page(const Proposal& made, const fs::path& path, const std::string& name) {
  std::string text;
  const int width = reading_width(STDOUT_FILENO);
  for (const std::string& reason : made.reasons) text += wrapped("- " + reason, width) + "\n";
  const bool color = use_color(STDOUT_FILENO);
  for (const CheckFinding& finding : made.text.findings)
    text += styled("found", Style::kYellow, color) + fmt::format(" {}: {}\n", finding.kind, finding.text);
  for (const PlanWarning& warning : made.plan.warnings)
    text += styled("warning", Style::kYellow, color) + fmt::format(" {}: {}\n", warning.key, warning.text);
  if (made.plan.speed)
    text += fmt::format("The training takes about {} here.\n", human_duration(made.plan.seconds_total));
  text += fmt::format("{} is written. Next:\n", printable(path.string()));
  const std::string run = (fs::path("runs") / path.stem()).string();
  return text + as_called(fmt::format("  minnow train {}\n", printable(name))) +
         as_called(fmt::format("  minnow sample {}\n", printable(run)));
}

/// A word that is none of the kinds must be where a tokenizer lies.
void check_tokenizer(const NewArguments& arguments) {
  const bool learned = arguments.tokenizer == "auto" || arguments.tokenizer == "bpe";
  if (arguments.vocab_size > 0 && !learned)
    throw ConfigError("[new] --vocab-size must come with --tokenizer bpe; got --tokenizer " + arguments.tokenizer);
  if (learned || arguments.tokenizer == "char" || arguments.tokenizer == "byte") return;
  if (arguments.tokenizer.empty() || !path_exists(arguments.tokenizer)) {
    throw ConfigError(fmt::format(
        "[new] --tokenizer must be auto, char, byte, bpe, or a tokenizer's file or folder; got \"{}\", which is not "
        "there",
        arguments.tokenizer));
  }
}

int make_new(NewArguments& arguments) {
  if (arguments.text.empty()) throw ConfigError("[minnow new] --text is required. Hint: `minnow new my --text my.txt`");
  check_tokenizer(arguments);
  const fs::path path = config_path(arguments);
  use_threads(arguments.threads);
  install_stop_signals();
  KeptText text;
  if (!keep_text(arguments, path, text)) return stop_exit_code();
  const Proposal made = propose_run({.text = arguments.text,
                                     .text_field = arguments.field,
                                     .name = path.stem().string(),
                                     .minutes = arguments.minutes,
                                     .tokenizer = arguments.tokenizer,
                                     .vocab_size = arguments.vocab_size,
                                     .measure_seconds = arguments.seconds,
                                     .interrupted = [] { return stop_signal().load() != 0; },
                                     .report = [](const std::string& what) { print_line(what + " ..."); }});
  if (const int stopped = stop_exit_code()) return stopped;
  (void)config_path(arguments);  // somebody else may have written it meanwhile
  if (path.has_parent_path()) make_directories(path.parent_path());
  write_file_atomic(path, made.toml);
  text.set_stays();
  if (arguments.json) {
    nlohmann::ordered_json warnings = nlohmann::ordered_json::array();
    for (const PlanWarning& warning : made.plan.warnings)
      warnings.push_back({{"key", warning.key}, {"text", warning.text}});
    print_result(json_line({{"config", path.string()},
                            {"parameters", std::llround(made.plan.parameters)},
                            {"max_steps", made.plan.max_steps},
                            {"seconds", made.plan.seconds_total},
                            {"reasons", made.reasons},
                            {"warnings", warnings}}));
    return 0;
  }
  print_result(proposal_page(made, path, arguments.name));
  return 0;
}

Action setup_new(Options& options) {
  const auto arguments = std::make_shared<NewArguments>();
  options.argument("TITLE", arguments->name, "Name of the configuration (TITLE.toml) and of its run (runs/TITLE)");
  options.text("--text", arguments->text,
               "What to learn from: a text, .jsonl, a folder of them, or - for standard input, which is kept as "
               "TITLE.txt (required)");
  options.choice("--stdin", arguments->stdin_is, {"text", "jsonl"}, "What standard input holds");
  constexpr double kMostMinutes = 100'000;
  options.number("--minutes", arguments->minutes, "How long the training may take here, about", 0.1, kMostMinutes);
  options.text("--tokenizer", arguments->tokenizer,
               "What a token is: auto (as the text is), char, byte, bpe, or a tokenizer's file or folder");
  constexpr std::int64_t kMostTokens = 1'000'000;
  options.integer("--vocab-size", arguments->vocab_size, "Tokens of a bpe that is learned; 0 = what fits the text", 0,
                  kMostTokens);
  options.text("--text-field", arguments->field, "The member of a .jsonl line that holds the text");
  options.number("--seconds", arguments->seconds, "How long each timing of steps takes", 0.1, 3600);
  threads_option(options, arguments->threads);
  options.flag("--overwrite", arguments->overwrite, "Replace a configuration of that name");
  options.flag("--json", arguments->json, "Write JSON to stdout");
  options.footer(
      "Looks at the text, times a model on this machine, and writes a configuration with the reasons for its choices.\n"
      "Examples:\n  minnow new my --text my.txt\n  minnow train my\n  minnow sample runs/my\n");
  return [arguments] { return make_new(*arguments); };
}

}  // namespace

const Verb kVerbNew = {"new", "Write a configuration that fits a text and this machine", "Training", setup_new};

}  // namespace minnow::cli
