#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cli/bench.hpp"
#include "cli/bench_clock.hpp"
#include "cli/bench_workload.hpp"
#include "cli/human.hpp"
#include "cli/json_line.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "minnow/base/error.hpp"
#include "minnow/gen/generate.hpp"
#include "minnow/io/memory.hpp"
#include "minnow/train/compute.hpp"

namespace minnow::cli {
namespace {

constexpr double kSecondsOfRounds = 3;
constexpr std::size_t kMostRounds = 5;
constexpr std::int64_t kWarmUpTokens = 4;

/// Positions that a model of text generation has; a training workload has shorter ones.
struct Positions {
  const char* workload;
  std::int64_t count;
};
constexpr Positions kPositions[] = {{"char", 256}, {"gpt2", 1024}};

Workload generate_workload(const std::string& name) {
  Workload work = find_workload(name);
  work.batch = 1;
  for (const Positions& positions : kPositions) {
    if (name == positions.workload) work.length = positions.count;
  }
  return work;
}

void check_positions(const GenerateBenchmark& benchmark, const Workload& work) {
  const std::int64_t wanted = benchmark.prompt + benchmark.tokens;
  if (wanted <= work.length) return;
  throw ConfigError(
      fmt::format("[bench generate] --prompt and --tokens together must be at most {}, the positions of {}; got {}. "
                  "Hint: fewer of either",
                  work.length, work.name, wanted));
}

/// Seconds of one text.
struct Round {
  double prompt = 0;  ///< until the scores behind the prompt are there
  double tokens = 0;  ///< from then on until `tokens` tokens were chosen and read
};

/// Writes one token more than asked for: the scores it is chosen from are there when the one before was read.
std::optional<Round> write_text(LanguageModel& model, std::span<const std::int32_t> prompt, std::int64_t tokens) {
  using Clock = std::chrono::steady_clock;
  std::vector<Clock::time_point> scored;
  scored.reserve(static_cast<std::size_t>(tokens) + 1);
  GenerateOptions options;
  options.sampler.temperature = 0;
  options.max_tokens = tokens + 1;
  options.on_scores = [&](Index, std::span<const float>) { scored.push_back(Clock::now()); };
  options.interrupted = [] { return stop_signal().load() != 0; };
  const auto begin = Clock::now();
  (void)generate(model, nullptr, prompt, options);
  if (std::ssize(scored) != tokens + 1) return std::nullopt;
  const auto seconds = [](Clock::duration time) { return std::chrono::duration<double>(time).count(); };
  return Round{seconds(scored.front() - begin), seconds(scored.back() - scored.front())};
}

/// @return the medians of several rounds, or nothing when a signal asked to stop.
std::optional<Round> measure_rounds(LanguageModel& model, const GenerateBenchmark& benchmark, const Workload& work) {
  const Batch batch = workload_batch(work);
  const std::span<const std::int32_t> prompt(batch.tokens.data(), static_cast<std::size_t>(benchmark.prompt));
  if (!write_text(model, prompt, std::min(kWarmUpTokens, benchmark.tokens))) return std::nullopt;
  std::vector<double> prompts;
  std::vector<double> texts;
  for (double spent = 0; texts.empty() || (texts.size() < kMostRounds && spent < kSecondsOfRounds);) {
    const auto round = write_text(model, prompt, benchmark.tokens);
    if (!round) return std::nullopt;
    prompts.push_back(round->prompt);
    texts.push_back(round->tokens);
    spent += round->prompt + round->tokens;
  }
  return Round{median_of(std::move(prompts)), median_of(std::move(texts))};
}

}  // namespace

std::vector<std::string> generate_workload_names() {
  std::vector<std::string> names;
  for (const Positions& positions : kPositions) names.emplace_back(positions.workload);
  return names;
}

int bench_generate(const GenerateBenchmark& benchmark, bool json) {
  const Workload work = generate_workload(benchmark.workload);
  check_positions(benchmark, work);
  install_stop_signals();
  const auto model = make_language_model(workload_model(work), work.vocabulary);
  apply_compute(compute_of(benchmark.precision), *model);
  model->parameters().initialize(0);
  model->set_frozen(true, spare_memory());
  const auto round = measure_rounds(*model, benchmark, work);
  if (!round) return stop_exit_code();
  const double rate = static_cast<double>(benchmark.tokens) / round->tokens;
  const double prompt_rate = static_cast<double>(benchmark.prompt) / round->prompt;
  if (json) {
    print_result(json_line({{"workload", work.name},
                            {"tokens_per_s", rounded(rate, 10)},
                            {"prompt_tokens_per_s", rounded(prompt_rate, 10)},
                            {"ms_per_token", rounded(1e3 / rate, 1000)},
                            {"prompt", benchmark.prompt},
                            {"tokens", benchmark.tokens},
                            {"peak_rss_mb", peak_rss_mb()},
                            {"threads", threads()},
                            {"precision", benchmark.precision},
                            {"gemm", kernels::gemm_name()},
                            {"parameters", model->parameters().count()}}));
    return 0;
  }
  print_result(fmt::format(
      "{}: {:.1f} tokens/s, {:.3f} ms per token, prompt {:.1f} tokens/s, {} MiB, {} threads, {} parameters, {} by {}\n",
      work.name, rate, 1e3 / rate, prompt_rate, peak_rss_mb(), threads(), grouped(model->parameters().count()),
      benchmark.precision, kernels::gemm_name()));
  return 0;
}

}  // namespace minnow::cli
