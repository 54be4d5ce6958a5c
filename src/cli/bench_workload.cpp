#include "cli/bench_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

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
    {"micro", 16, 16, 1, 4, 64, 27, 300},
    {"names", 32, 16, 4, 4, 64, 27, 200},
    {"char", 12, 64, 4, 4, 128, 65, 60},
    {"baby", 16, 256, 6, 6, 384, 65, 4},
    {"gpt2", 4, 64, 12, 12, 768, 50257, 5},
    {"long", 1, 2048, 4, 4, 256, 256, 4},
    {"names-lines", 32, 16, 4, 4, 64, 27, 200, true},
};

/// Tokens of 32 first names with the boundary behind each, 7 on average as in lists of names: 224, or 14 rows of 16.
constexpr std::array<std::int32_t, 32> kNameLengths = {7, 5, 8, 6, 9, 7, 4,  8, 6, 7, 16, 5, 7, 8, 6, 3,
                                                       7, 9, 6, 8, 5, 7, 10, 6, 8, 7, 4,  7, 6, 9, 5, 8};
static_assert(std::accumulate(kNameLengths.begin(), kNameLengths.end(), 0) == 224);

constexpr std::int64_t kTurn = 20;       // steps
constexpr std::int64_t kTurnWarmUp = 2;  // more, at the begin of each turn: the other model lay in the caches

constexpr int kWarmUpSteps = 2;  // behind the first one
constexpr std::uint32_t kStreamBench = 0x62650000;
constexpr double kBenchLearningRate = 1e-3;

template <class Enum>
Enum named_value(const std::string& name) {
  const auto& names = kChoiceNames<Enum>;
  return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

std::vector<std::string> workload_names(bool documents) {
  std::vector<std::string> names;
  for (const Workload& workload : kWorkloads) {
    if (documents || !workload.documents) names.emplace_back(workload.name);
  }
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

std::int64_t step_tokens(const Workload& work) {
  return work.documents ? std::accumulate(kNameLengths.begin(), kNameLengths.end(), std::int64_t{0})
                        : work.batch * work.length;
}

Workload full_rows(const Workload& work) {
  Workload full = work;
  full.documents = false;
  full.batch = step_tokens(work) / work.length;
  return full;
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
  if (work.documents) batch.lengths.assign(kNameLengths.begin(), kNameLengths.end());
  batch.samples.assign(rows, 0);
  batch.offsets.assign(rows, 0);
  batch.counted = batch.counted_in_step = step_tokens(work);
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
  const std::int64_t pairs = work.documents ? std::inner_product(kNameLengths.begin(), kNameLengths.end(),
                                                                 kNameLengths.begin(), std::int64_t{0})
                                            : work.batch * work.length * work.length;
  return 6.0 * static_cast<double>((parameters - work.width * work.length) * step_tokens(work)) +
         12.0 * static_cast<double>(work.layers * work.width * pairs);
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
  std::rotate(batch_.lengths.begin(), batch_.lengths.begin() + 1, batch_.lengths.end());
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

std::optional<TurnTimes> time_in_turns(StepBench& first, StepBench& second, std::int64_t steps) {
  std::vector<double> ratios;
  std::array<std::vector<double>, 2> all;
  const std::int64_t turn = std::min(steps, kTurn);
  const auto median_of_turn = [&](StepBench& bench, std::vector<double>& into) {
    for (std::int64_t i = -kTurnWarmUp; i < turn && !stop_asked(); ++i) {
      const double seconds = bench.step();
      if (i >= 0) into.push_back(seconds);
    }
    return stop_asked() ? 1.0 : median_of({into.end() - turn, into.end()});
  };
  for (std::int64_t done = 0; done < steps; done += turn) {
    const double one = median_of_turn(first, all[0]);
    ratios.push_back(one / median_of_turn(second, all[1]));
    if (stop_asked()) return std::nullopt;
  }
  return TurnTimes{median_of(std::move(all[0])), median_of(std::move(all[1])), median_of(std::move(ratios))};
}

}  // namespace minnow::cli
