/// @file
/// `minnow sample`: lets a trained model write.

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/json_line.hpp"
#include "cli/log.hpp"
#include "cli/prompt.hpp"
#include "cli/run_options.hpp"
#include "cli/sample_writer.hpp"
#include "cli/sampler_options.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "cli/use_threads.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/gen/generate.hpp"
#include "minnow/text/utf8.hpp"
#include "minnow/train/run.hpp"

namespace minnow::cli {
namespace {

struct SampleArguments {
  std::string run;
  PromptSource prompt;
  SamplerWords sampler;
  std::int64_t count = 1, max_tokens = 200, threads = 0;
  std::vector<std::string> stop;
  std::string checkpoint = "auto", weights = "auto", unknown = "error", log_level = "info";
  bool json = false, no_cache = false;
};

GenerateOptions generate_options(const SampleArguments& arguments) {
  GenerateOptions options;
  options.sampler = arguments.sampler.options();
  options.count = arguments.count;
  options.max_tokens = arguments.max_tokens;
  options.stop = arguments.stop;
  options.use_cache = !arguments.no_cache;
  options.interrupted = [] { return stop_signal().load() != 0; };
  return options;
}

void note_long_prompt(const LoadedRun& run, std::size_t tokens) {
  const Index block = run.model->block_size();
  if (run.model->positions_go_on() || static_cast<Index>(tokens) <= block) return;
  log_line(LogLevel::kInfo, fmt::format("[sample] the prompt has {} tokens; its last {} count (model.block_size)",
                                        grouped(static_cast<std::int64_t>(tokens)), grouped(block)));
}

std::string ids_text(const std::vector<std::int32_t>& ids) { return fmt::format("{}", fmt::join(ids, " ")); }

void print_json(const LoadedRun& run, const std::string& prompt, const std::vector<Generation>& samples) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    nlohmann::ordered_json object = {{"sample", i}, {"prompt", replace_invalid_utf8(prompt)}};
    if (run.tokenizer) object["text"] = samples[i].text;
    object["ids"] = samples[i].ids;
    object["tokens"] = samples[i].ids.size();
    object["finish"] = name_of(samples[i].reason);
    object["step"] = run.step;
    print_result(json_line(object));
  }
}

/// Writes and shows. @return the samples
std::vector<Generation> write(const LoadedRun& run, const SampleArguments& arguments, const std::string& prompt,
                              const std::vector<std::int32_t>& ids) {
  GenerateOptions options = generate_options(arguments);
  const Tokenizer* const tokenizer = run.tokenizer.get();
  if (arguments.json || tokenizer == nullptr) {
    std::vector<Generation> samples = generate(*run.model, tokenizer, ids, options);
    if (arguments.json) print_json(run, prompt, samples);
    if (!arguments.json) {
      for (const Generation& sample : samples) print_result(ids_text(sample.ids) + "\n");
    }
    return samples;
  }
  SampleWriter writer(options.count, prompt, run.config.data.documents == DocumentKind::kLines);
  options.sink = [&](Index sample, std::string_view piece) { writer.add(sample, piece); };
  options.on_end = [&](Index sample) { writer.end(sample); };
  return generate(*run.model, tokenizer, ids, options);
}

int sample(const SampleArguments& arguments) {
  use_log_level(arguments.log_level);
  (void)generate_options(arguments);  // what is wrong on the command line comes before what is wrong on the disk
  const WhichCheckpoint which = WhichCheckpoint::parse(arguments.checkpoint);
  const std::string prompt = read_prompt(arguments.prompt);
  const LoadedRun run = open_run(arguments.run, which, parse_weights(arguments.weights));
  use_writing_threads(*run.model, arguments.count, arguments.threads);
  for (const std::string& warning : run.warnings) print_warning(warning);
  const auto unknown = arguments.unknown == "replace" ? UnknownCharacter::kReplace : UnknownCharacter::kError;
  const std::vector<std::int32_t> ids = prompt_tokens(run, prompt, unknown);
  note_long_prompt(run, ids.size());
  install_stop_signals();
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Generation> samples = write(run, arguments, prompt, ids);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::int64_t tokens = 0;
  for (const Generation& one : samples) tokens += static_cast<std::int64_t>(one.ids.size());
  const double rate = seconds > 0 ? static_cast<double>(tokens) / seconds : 0.0;
  log_line(LogLevel::kInfo, fmt::format("[sample] step {}, {} tokens, {} tokens/s", run.step, grouped(tokens),
                                        grouped(std::llround(rate))));
  return stop_exit_code();
}

Action setup_sample(Options& options) {
  const auto arguments = std::make_shared<SampleArguments>();
  options.argument("RUN", arguments->run, "Directory of a run, or a checkpoint in it");
  prompt_options(options, arguments->prompt);
  options.integer("-n,--count", arguments->count, "Samples", 1, 100000);
  options.integer("--max-tokens", arguments->max_tokens, "Tokens per sample", 0, 1000000000);
  sampler_options(options, arguments->sampler);
  options.texts("--stop", arguments->stop, "End the text before this string; may be repeated");
  options.text("--checkpoint", arguments->checkpoint,
               "best, latest, a step, or auto (the default) = best, else latest");
  weights_option(options, arguments->weights);
  options.choice("--unknown", arguments->unknown, {"error", "replace"},
                 "What becomes of a character that the model does not know");
  options.flag("--no-cache", arguments->no_cache, "Read the whole window for every token: slow, for comparison");
  threads_option(options, arguments->threads);
  log_level_option(options, arguments->log_level);
  options.flag("--json", arguments->json, "Write a JSON object per sample to stdout");
  options.footer(
      "The text goes to stdout as it comes, everything else to stderr.\n"
      "Examples:\n  minnow sample runs/quickstart --prompt \"Once \" --count 3\n"
      "  echo -n \"Once \" | minnow sample runs/quickstart -\n");
  return [arguments] { return sample(*arguments); };
}

}  // namespace

const Verb kVerbSample = {"sample", "Let a trained model write", "Use", setup_sample};

}  // namespace minnow::cli
