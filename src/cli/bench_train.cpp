#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/bench.hpp"
#include "cli/human.hpp"
#include "cli/json_line.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/philox.hpp"
#include "minnow/config/choices.hpp"
#include "minnow/kernels/gemm.hpp"
#include "minnow/train/compute.hpp"
#include "minnow/train/train_step.hpp"

namespace minnow::cli {
namespace {

/// The GPT of a workload: pre-norm, tanh GELU, biases, tied head, no dropout.
struct Workload {
  const char* name;
  std::int64_t batch, length, layers, heads, width, vocabulary;  // B, T, L, H, C, V
  std::int64_t steps;                                            // timed
};

constexpr Workload kWorkloads[] = {
    {"micro", 16, 16, 1, 4, 64, 27, 300}, {"names", 32, 16, 4, 4, 64, 27, 200},   {"char", 12, 64, 4, 4, 128, 65, 60},
    {"baby", 16, 256, 6, 6, 384, 65, 4},  {"gpt2", 4, 64, 12, 12, 768, 50257, 5}, {"long", 1, 2048, 4, 4, 256, 256, 4},
};

constexpr int kWarmUpSteps = 2;  // behind the first one
constexpr std::uint32_t kStreamBench = 0x62650000;

const Workload& find(const std::string& name) {
  for (const Workload& workload : kWorkloads) {
    if (workload.name == name) return workload;
  }
  throw ConfigError(fmt::format("[bench] unknown workload {}", name));
}

ModelConfig model_config(const Workload& work) {
  ModelConfig config;
  config.n_layer = work.layers;
  config.n_head = work.heads;
  config.n_embd = work.width;
  config.block_size = work.length;
  config.activation = Activation::kGeluTanh;
  return config;
}

Batch random_batch(const Workload& work) {
  const std::int64_t count = work.batch * work.length;
  Batch batch;
  batch.rows = work.batch;
  batch.length = work.length;
  const RandomKey key{.seed = 0, .stream = kStreamBench};
  for (std::int64_t i = 0; i < 2 * count; ++i) {
    const auto id = static_cast<std::int32_t>(
        random_below(key, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(work.vocabulary)));
    (i < count ? batch.tokens : batch.targets).push_back(id);
  }
  const auto rows = static_cast<std::size_t>(work.batch);
  batch.lengths.assign(rows, static_cast<std::int32_t>(work.length));
  batch.samples.assign(rows, 0);
  batch.offsets.assign(rows, 0);
  batch.counted = batch.counted_in_step = count;
  return batch;
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::int64_t peak_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;  // kilobytes on Linux
}

/// Model, data and optimizer of a workload, ready for steps.
class Bench {
 public:
  Bench(const Workload& work, const ComputeConfig& compute)
      : model_(make_language_model(model_config(work), work.vocabulary)),
        batch_(random_batch(work)),
        parameters_(model_->parameters().count()) {
    apply_compute(compute, *model_);
    model_->parameters().initialize(0);
    OptimizerConfig optimizer;
    optimizer.learning_rate = kLearningRate;
    optimizer.beta1 = 0.9;
    optimizer.beta2 = 0.99;
    optimizer.weight_decay = 0.1;
    optimizer.grad_clip = 1.0;
    step_.emplace(*model_, TrainStepOptions{.optimizer = optimizer, .leaf_sequences = work.batch, .seed = 1});
  }

  /// @return seconds of one step.
  double step() {
    return seconds_of([this] {
      const auto result = step_->run(batch_, steps_++, kLearningRate);
      if (!result || !result->applied) {
        throw NumericError(fmt::format("[bench] every step must change the model; {}", result ? result->problem : ""));
      }
      loss_ = result->loss;
    });
  }

  [[nodiscard]] double loss() const { return loss_; }
  [[nodiscard]] std::int64_t parameters() const { return parameters_; }

 private:
  static constexpr double kLearningRate = 1e-3;
  std::unique_ptr<LanguageModel> model_;
  Batch batch_;
  std::int64_t parameters_;
  std::optional<TrainStep> step_;
  std::int64_t steps_ = 0;
  double loss_ = 0;
};

template <class Enum>
Enum value_of(const std::string& name) {
  const auto& names = kChoiceNames<Enum>;
  return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

ComputeConfig compute_of(const TrainBenchmark& benchmark) {
  ComputeConfig compute;
  compute.gemm = value_of<GemmKind>(benchmark.gemm);
  compute.precision = value_of<PrecisionKind>(benchmark.precision);
  return compute;
}

const char* gemm_name() { return kernels::gemm_backend() == kernels::GemmBackend::kMinnow ? "minnow" : "openblas"; }

/// Rounds to 1 / parts.
double rounded(double value, double parts) { return std::round(value * parts) / parts; }

}  // namespace

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const Workload& workload : kWorkloads) names.emplace_back(workload.name);
  return names;
}

int bench_train(const TrainBenchmark& benchmark, bool json) {
  const Workload& work = find(benchmark.workload);
  install_stop_signals();
  Bench bench(work, compute_of(benchmark));
  const double first = bench.step();
  for (int i = 0; i < kWarmUpSteps; ++i) bench.step();
  std::vector<double> times(static_cast<std::size_t>(benchmark.steps > 0 ? benchmark.steps : work.steps));
  for (double& time : times) {
    time = bench.step();
    if (stop_signal().load() != 0) return stop_exit_code();
  }
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  const auto tokens = static_cast<double>(work.batch * work.length);
  // forward and backward: 6 per weight and token (position table excepted), 12 L C T per token for attention
  const double flops = (6.0 * static_cast<double>(bench.parameters() - work.width * work.length) +
                        12.0 * static_cast<double>(work.layers * work.width * work.length)) *
                       tokens;
  if (json) {
    nlohmann::ordered_json object = {{"workload", work.name},
                                     {"tokens_per_s", rounded(tokens / median, 10)},
                                     {"ms_per_step", rounded(median * 1e3, 1000)},
                                     {"gflops", rounded(flops / median / 1e9, 10)},
                                     {"first_step_s", rounded(first, 10000)},
                                     {"peak_rss_mb", peak_rss_mb()},
                                     {"threads", threads()},
                                     {"precision", benchmark.precision},
                                     {"gemm", gemm_name()},
                                     {"parameters", bench.parameters()},
                                     {"steps", times.size()},
                                     {"loss", bench.loss()}};
    print_result(json_line(object));
    return 0;
  }
  print_result(
      fmt::format("{}: {} tokens/s, {:.3f} ms per step, {:.1f} GFLOP/s, first step {:.3f} s, {} MiB, "
                  "{} threads, {} parameters, {} by {}\n",
                  work.name, grouped(std::llround(tokens / median)), median * 1e3, flops / median / 1e9, first,
                  peak_rss_mb(), threads(), grouped(bench.parameters()), benchmark.precision, gemm_name()));
  return 0;
}

}  // namespace minnow::cli
