#include "cli/bench_workload.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/bench.hpp"
#include "cli/bench_clock.hpp"
#include "cli/signals.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/philox.hpp"
#include "minnow/config/choices.hpp"
#include "minnow/train/compute.hpp"

namespace minnow::cli {
namespace {

constexpr Workload kWorkloads[] = {
    {"micro", 16, 16, 1, 4, 64, 27, 300}, {"names", 32, 16, 4, 4, 64, 27, 200},   {"char", 12, 64, 4, 4, 128, 65, 60},
    {"baby", 16, 256, 6, 6, 384, 65, 4},  {"gpt2", 4, 64, 12, 12, 768, 50257, 5}, {"long", 1, 2048, 4, 4, 256, 256, 4},
};

constexpr int kWarmUpSteps = 2;  // behind the first one
constexpr std::uint32_t kStreamBench = 0x62650000;
constexpr double kBenchLearningRate = 1e-3;

template <class Enum>
Enum named_value(const std::string& name) {
  const auto& names = kChoiceNames<Enum>;
  return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const Workload& workload : kWorkloads) names.emplace_back(workload.name);
  return names;
}

const Workload& find_workload(const std::string& name) {
  for (const Workload& workload : kWorkloads) {
    if (workload.name == name) return workload;
  }
  throw ConfigError(fmt::format("[bench] unknown workload {}", name));
}

ModelConfig workload_model(const Workload& work) {
  ModelConfig config;
  config.n_layer = work.layers;
  config.n_head = work.heads;
  config.n_embd = work.width;
  config.block_size = work.length;
  config.activation = Activation::kGeluTanh;
  return config;
}

Batch workload_batch(const Workload& work) {
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

OptimizerConfig workload_optimizer() {
  OptimizerConfig optimizer;
  optimizer.learning_rate = kBenchLearningRate;
  optimizer.beta1 = 0.9;
  optimizer.beta2 = 0.99;
  optimizer.weight_decay = 0.1;
  optimizer.grad_clip = 1.0;
  return optimizer;
}

ComputeConfig compute_of(const std::string& precision, const std::string& gemm) {
  ComputeConfig compute;
  compute.gemm = named_value<GemmKind>(gemm);
  compute.precision = named_value<PrecisionKind>(precision);
  return compute;
}

kernels::GemmPrecision gemm_precision(const ComputeConfig& compute) { return precision_of(compute.precision); }

double step_flops(const Workload& work, std::int64_t parameters) {
  return (6.0 * static_cast<double>(parameters - work.width * work.length) +
          12.0 * static_cast<double>(work.layers * work.width * work.length)) *
         static_cast<double>(work.batch * work.length);
}

StepBench::StepBench(const Workload& work, const ComputeConfig& compute, Profiler* profiler)
    : model_(make_language_model(workload_model(work), work.vocabulary)),
      batch_(workload_batch(work)),
      parameters_(model_->parameters().count()) {
  apply_compute(compute, *model_);
  model_->parameters().initialize(0);
  step_.emplace(*model_,
                TrainStepOptions{
                    .optimizer = workload_optimizer(), .leaf_sequences = work.batch, .seed = 1, .profiler = profiler});
}

double StepBench::step() {
  return seconds_of([this] {
    const auto result = step_->run(batch_, steps_++, kBenchLearningRate);
    if (!result || !result->applied) {
      throw NumericError(fmt::format("[bench] every step must change the model; {}", result ? result->problem : ""));
    }
    loss_ = result->loss;
  });
}

std::optional<StepTimes> time_steps(StepBench& bench, const Workload& work, std::int64_t steps) {
  StepTimes times{.first = bench.step()};
  std::vector<double> timed(static_cast<std::size_t>(steps > 0 ? steps : work.steps));
  for (std::int64_t i = -kWarmUpSteps; i < std::ssize(timed); ++i) {
    if (stop_signal().load() != 0) return std::nullopt;
    const double seconds = bench.step();
    if (i >= 0) timed[static_cast<std::size_t>(i)] = seconds;
  }
  if (stop_signal().load() != 0) return std::nullopt;
  times.timed = std::ssize(timed);
  times.median = median_of(std::move(timed));
  return times;
}

}  // namespace minnow::cli
