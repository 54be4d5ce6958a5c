/// @file
/// `minnow data check`: says what is wrong with texts, and what a model of them must beat.

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

#include "cli/config_file.hpp"
#include "cli/data_verbs.hpp"
#include "cli/human.hpp"
#include "cli/json_line.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "cli/text_paths.hpp"
#include "cli/tokenizer_source.hpp"
#include "cli/use_threads.hpp"
#include "minnow/base/error.hpp"
#include "minnow/data/check.hpp"
#include "minnow/text/bpe_tokenizer.hpp"
#include "minnow/text/bpe_trainer.hpp"
#include "minnow/text/word_tokenizer.hpp"
#include "minnow/text/word_trainer.hpp"
#include "train/text_sample.hpp"

namespace minnow::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CheckArguments {
  std::vector<std::string> paths, validation;
  std::string tokenizer, config, field = "text", documents = "files";
  std::int64_t threads = 0;
  bool json = false;
};

/// How often the planned run reads the text.
struct PlannedRun {
  std::int64_t tokens_read = 0;
  double epochs = 0;
};

/// @return the tokenizer that --tokenizer names, or that the configuration would use; null: the text's characters.
std::shared_ptr<const Tokenizer> tokenizer_of(const CheckArguments& arguments, const std::optional<Config>& config,
                                              const std::vector<std::filesystem::path>& files) {
  if (!arguments.tokenizer.empty()) return find_tokenizer(arguments.tokenizer, files, arguments.field, false);
  if (!config || config->tokenizer.type == TokenizerKind::kChar || config->tokenizer.type == TokenizerKind::kNone)
    return nullptr;
  if (config->tokenizer.type == TokenizerKind::kByte) return find_tokenizer("byte", files, arguments.field, false);
  if (!config->tokenizer.path.empty()) return find_tokenizer(config->tokenizer.path, files, arguments.field, false);
  const TextSample sample = sample_text(files, arguments.field, bytes_of_paths(files));
  const TokenizerConfig& learned = config->tokenizer;
  if (learned.type == TokenizerKind::kBpe) {
    return std::make_shared<BpeTokenizer>(
        train_bpe(sample.views(), {.vocab_size = learned.vocab_size, .min_frequency = learned.min_frequency}));
  }
  const WordTraining words{.vocab_size = learned.vocab_size, .min_frequency = learned.min_frequency};
  return std::make_shared<WordTokenizer>(learned.type == TokenizerKind::kWord
                                             ? train_words(sample.views(), words)
                                             : train_word_pieces(sample.views(), words));
}

std::optional<PlannedRun> planned_run(const CheckArguments& arguments, const std::optional<Config>& planned,
                                      const CheckReport& report) {
  if (!planned) return std::nullopt;
  const Config& config = *planned;
  PlannedRun run;
  run.tokens_read = config.train.max_steps * config.train.batch_size * config.model.block_size;
  double trained = static_cast<double>(report.tokens);
  if (arguments.validation.empty() && config.data.split == SplitKind::kFraction)
    trained *= 1 - config.data.val_fraction;
  if (config.data.split == SplitKind::kEveryNth) trained *= 1 - 1 / static_cast<double>(config.data.val_every);
  run.epochs = trained > 0 ? static_cast<double>(run.tokens_read) / trained : 0;
  return run;
}

std::string facts_text(const CheckReport& report, const std::optional<PlannedRun>& run) {
  const bool color = use_color(STDOUT_FILENO);
  const auto row = [&](std::string_view name, const std::string& value) {
    return styled(fmt::format("{:<12}", name), Style::kBold, color) + value + "\n";
  };
  std::string text =
      row("text", fmt::format("{} bytes, {} characters ({} different), {} lines, {} documents, {} file{}",
                              grouped(report.text_bytes), grouped(report.characters),
                              grouped(report.distinct_characters), grouped(report.lines), grouped(report.documents),
                              grouped(report.files), report.files == 1 ? "" : "s"));
  if (report.tokens == 0) return text;
  text +=
      row("tokens", fmt::format("{}, {:.3f} bytes each; {} of the {} in the vocabulary occur", grouped(report.tokens),
                                report.bytes_per_token(), grouped(report.used_tokens), grouped(report.vocab_size)));
  const auto loss = [&](double nats) {
    return fmt::format("{:.4f} nats per token ({:.3f} bits per byte)", nats,
                       nats / std::numbers::ln2 / report.bytes_per_token());
  };
  text += row("loss", fmt::format("{} knowing nothing (ln {})", loss(report.uniform_nats), report.vocab_size));
  text += row("", fmt::format("{} knowing how frequent each token is", loss(report.unigram_nats)));
  text += row("", fmt::format("{} knowing the token before{}", loss(report.bigram_nats),
                              report.bigram_tokens < report.tokens
                                  ? fmt::format(" (of the first {} tokens)", grouped(report.bigram_tokens))
                                  : ""));
  if (run) {
    text += row("run", fmt::format("{} tokens are read: {:.2f} passes over the training text",
                                   grouped(run->tokens_read), run->epochs));
  }
  return text;
}

std::string findings_text(const CheckReport& report) {
  const bool color = use_color(STDOUT_FILENO);
  if (report.findings.empty()) return styled("nothing found", Style::kGreen, color) + "\n";
  std::string text;
  for (const CheckFinding& finding : report.findings) {
    text += styled("found", Style::kYellow, color) + fmt::format(" {}: {}\n", finding.kind, finding.text);
    for (const std::string& place : finding.places) text += "  " + printable(place) + "\n";
    const auto more = finding.count - static_cast<std::int64_t>(finding.places.size());
    if (more > 0 && finding.kind != "leakage" && finding.kind != "unknown_characters")
      text += fmt::format("  and {} more\n", grouped(more));
  }
  return text;
}

Json report_json(const CheckReport& report, const std::optional<PlannedRun>& run) {
  Json findings = Json::array();
  for (const CheckFinding& finding : report.findings) {
    Json places = Json::array();
    for (const std::string& place : finding.places) places.push_back(printable(place));
    findings.push_back({{"kind", finding.kind}, {"count", finding.count}, {"text", finding.text}, {"places", places}});
  }
  Json json{{"files", report.files},
            {"file_bytes", report.file_bytes},
            {"text_bytes", report.text_bytes},
            {"characters", report.characters},
            {"distinct_characters", report.distinct_characters},
            {"lines", report.lines},
            {"documents", report.documents},
            {"tokens", report.tokens},
            {"vocab_size", report.vocab_size},
            {"used_tokens", report.used_tokens},
            {"bytes_per_token", report.bytes_per_token()},
            {"uniform_nats", report.uniform_nats},
            {"unigram_nats", report.unigram_nats},
            {"bigram_nats", report.bigram_nats},
            {"bigram_tokens", report.bigram_tokens},
            {"epochs", run ? Json(run->epochs) : Json()},
            {"findings", findings}};
  return json;
}

int check(const CheckArguments& arguments) {
  install_stop_signals();
  use_threads(arguments.threads);
  CheckOptions options;
  options.files = text_paths(arguments.paths);
  options.validation = text_paths(arguments.validation);
  options.text_field = arguments.field;
  options.documents = arguments.documents == "lines" ? Documents::kLines : Documents::kFiles;
  for (const auto& file : options.files) {
    if (file == "-") throw ConfigError("[data] check reads texts more than once, so standard input cannot be one");
  }
  std::optional<Config> config;
  if (!arguments.config.empty()) config = read_config_file(arguments.config).config;
  options.tokenizer = tokenizer_of(arguments, config, options.files);
  constexpr double kSilentSeconds = 1;
  ProgressLine line = ProgressLine::on_stderr(bytes_of_paths(options.files), 0, "byte", kSilentSeconds);
  options.progress = [&](std::uint64_t bytes) { line.update(static_cast<std::int64_t>(bytes), ""); };
  options.interrupted = [] { return stop_signal().load() != 0; };
  const CheckReport report = check_texts(options);
  line.finish();
  if (!report.finished) return stop_exit_code();
  const auto run = planned_run(arguments, config, report);
  print_result(arguments.json ? json_line(report_json(report, run)) : facts_text(report, run) + findings_text(report));
  return static_cast<int>(report.findings.empty() ? ExitCode::kDone : ExitCode::kData);
}

}  // namespace

Action setup_data_check(Options& options) {
  const auto arguments = std::make_shared<CheckArguments>();
  options.arguments("PATH", arguments->paths, "Texts: .txt, .jsonl, these as .zst, folders of them");
  options.text("--tokenizer", arguments->tokenizer,
               "char, byte, a tokenizer.json, or the directory of a run; without it, the characters of the text");
  options.texts("--val", arguments->validation, "Text that is kept for validation; may be given again");
  options.text("--config", arguments->config, "Configuration of the planned run: says how often the text is read");
  options.choice("--documents", arguments->documents, {"files", "lines"},
                 "A document is a file (or .jsonl line), or a line: what must not be there twice");
  options.text("--text-field", arguments->field, "The member of a .jsonl line that holds the text");
  threads_option(options, arguments->threads);
  options.flag("--json", arguments->json, "Write JSON to stdout");
  options.footer(
      "Finds: files that cannot be read to the end, what is not UTF-8, U+0000, empty files, documents that were there\n"
      "before, long lines (40 bytes and more) likewise when they make a thousandth of the text, stretches of 64 bytes\n"
      "of the validation that are in the training text, characters that the tokenizer does not have. The exit code is\n"
      "0 when nothing is found, 3 when something is.\n"
      "Examples:\n  minnow data check my.txt\n  minnow data check train.jsonl --val val.jsonl --tokenizer runs/my\n");
  return [arguments] { return check(*arguments); };
}

}  // namespace minnow::cli
