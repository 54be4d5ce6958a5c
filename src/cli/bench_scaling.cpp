#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/bench.hpp"
#include "cli/bench_clock.hpp"
#include "cli/bench_workload.hpp"
#include "cli/human.hpp"
#include "cli/json_line.hpp"
#include "cli/output_file.hpp"
#include "cli/terminal.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/report/run_facts.hpp"
#include "minnow/report/scaling_page.hpp"

#ifndef MINNOW_VERSION
#define MINNOW_VERSION "unknown"
#endif

namespace minnow::cli {
namespace {

/// The model in the middle of all sweeps.
constexpr Workload kScalingBase{"scaling", 8, 64, 2, 4, 128, 65, 0};
constexpr int kScalingRounds = 3;  // of each sweep: a disturbance of one moment spoils no point
constexpr std::size_t kScalingWarmUp = 2;

using SetSize = void (*)(Workload&, std::int64_t);

/// What one sweep changes.
struct SweepPlan {
  const char* letter;
  std::vector<std::int64_t> sizes;
  SetSize set;
};

std::vector<SweepPlan> sweep_plans() {
  std::vector<std::int64_t> teams;
  for (std::int64_t count = 1; count < threads(); count *= 2) teams.push_back(count);
  teams.push_back(threads());
  return {{"C", {64, 128, 256, 512}, [](Workload& work, std::int64_t size) { work.width = size; }},
          {"T", {32, 64, 128, 256, 512}, [](Workload& work, std::int64_t size) { work.length = size; }},
          {"L", {1, 2, 4, 8}, [](Workload& work, std::int64_t size) { work.layers = size; }},
          {"B", {2, 4, 8, 16, 32}, [](Workload& work, std::int64_t size) { work.batch = size; }},
          {"threads", std::move(teams), nullptr}};
}

std::string fixed_text(const SweepPlan& plan) {
  const Workload& base = kScalingBase;
  std::string text;
  const auto add = [&](const std::string& letter, std::int64_t size) {
    if (letter != plan.letter) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", letter, size);
  };
  add("B", base.batch);
  add("T", base.length);
  add("L", base.layers);
  add("H", base.heads);
  add("C", base.width);
  add("V", base.vocabulary);
  add("threads", threads());
  return text;
}

/// The model and batch of one point, ready for steps.
struct PointBench {
  Workload work;
  std::int64_t size;
  int team;
  StepBench bench;
  double best = 1e9;

  PointBench(const Workload& of, std::int64_t at, int threads_used, const ComputeConfig& compute)
      : work(of), size(at), team(threads_used), bench(work, compute) {}

  /// Runs steps for so long, at least one. @return false when a signal asked to stop.
  bool run(double seconds, std::size_t untimed) {
    const ThreadScope scope(team);
    double spent = 0;
    for (std::size_t i = 0; i <= untimed || spent < seconds; ++i) {
      if (stop_asked()) return false;
      const double once = bench.step();
      spent += once;
      if (i >= untimed) best = std::min(best, once);
    }
    return true;
  }
};

/// @return nothing when a signal asked to stop.
std::optional<ScalingSweep> measure_sweep(const SweepPlan& plan, const ComputeConfig& compute, double seconds) {
  std::vector<std::unique_ptr<PointBench>> benches;
  for (const std::int64_t size : plan.sizes) {
    Workload work = kScalingBase;
    if (plan.set != nullptr) plan.set(work, size);
    const int team = plan.set != nullptr ? threads() : static_cast<int>(size);
    benches.push_back(std::make_unique<PointBench>(work, size, team, compute));
  }
  const double each = seconds / static_cast<double>(benches.size() * kScalingRounds);
  for (int round = 0; round < kScalingRounds; ++round) {
    for (const auto& one : benches) {
      if (!one->run(each, round == 0 ? kScalingWarmUp : 0)) return std::nullopt;
    }
  }
  ScalingSweep sweep{plan.letter, fixed_text(plan), {}};
  for (const auto& one : benches) {
    sweep.points.push_back({one->size, one->best, step_flops(one->work, one->bench.parameters())});
  }
  return sweep;
}

void print_point(const ScalingSweep& sweep, std::size_t i, const std::string& precision, bool json) {
  const ScalingPoint& point = sweep.points[i];
  const bool first = i == 0;
  const ScalingGrowth growth = first ? ScalingGrowth{} : sweep.growth(i - 1);
  const double gflops = point.flops / point.seconds / 1e9;
  if (json) {
    const auto number = [first](double value) {
      return first ? nlohmann::ordered_json() : nlohmann::ordered_json(rounded(value, 1000));
    };
    print_result(json_line({{"sweep", sweep.letter},
                            {"size", point.size},
                            {"ms_per_step", rounded(point.seconds * 1e3, 1000)},
                            {"gflops", rounded(gflops, 10)},
                            {"time_ratio", number(growth.time)},
                            {"flop_ratio", number(growth.flops)},
                            {"ratio", number(growth.ratio())},
                            {"grows_more_than_arithmetic", growth.fast},
                            {"peak_rss_mb", peak_rss_mb()},
                            {"precision", precision}}));
    return;
  }
  const std::string grows = first
                                ? std::string()
                                : fmt::format("{:>7.2f} {:>11.2f} {:>6.2f} {}", growth.time, growth.flops,
                                              growth.ratio(), growth.fast ? "time grows more than the arithmetic" : "");
  print_result(
      fmt::format("{:<8} {:>6} {:>11.3f} {:>8.1f} {}\n", sweep.letter, point.size, point.seconds * 1e3, gflops, grows));
}

void print_sweep(const ScalingSweep& sweep, const std::string& precision, bool json) {
  for (std::size_t i = 0; i < sweep.points.size(); ++i) print_point(sweep, i, precision, json);
  if (json) {
    print_result(json_line({{"sweep", sweep.letter},
                            {"time_exponent", rounded(sweep.time_exponent(), 1000)},
                            {"flop_exponent", rounded(sweep.flops_exponent(), 1000)},
                            {"grows_more_than_arithmetic", sweep.fast()},
                            {"fixed", sweep.fixed}}));
  } else if (sweep.points.size() > 1) {
    print_result(fmt::format("{0}: time ~ {0}^{1:.2f}, arithmetic ~ {0}^{2:.2f} ({3})\n\n", sweep.letter,
                             sweep.time_exponent(), sweep.flops_exponent(), sweep.fixed));
  }
  flush_results();
}

std::string machine_text(const std::string& precision) {
  std::string text = fmt::format("{} by {}", precision, kernels::gemm_name());
  for (const auto& [name, value] : this_machine()) text += fmt::format("; {} {}", name, value);
  return text;
}

}  // namespace

int bench_scaling(const ScalingBenchmark& benchmark, bool json) {
  require_free_output(benchmark.out, benchmark.overwrite);
  install_stop_signals();
  const ComputeConfig compute = compute_of(benchmark.precision);
  const auto plans = sweep_plans();
  if (!json) {
    print_result(fmt::format("{:<8} {:>6} {:>11} {:>8} {:>7} {:>11} {:>6}\n", "sweep", "size", "ms per step", "GFLOP/s",
                             "time x", "arithmetic x", "ratio"));
  }
  std::vector<ScalingSweep> sweeps;
  for (const SweepPlan& plan : plans) {
    auto sweep =
        measure_sweep(plan, compute, static_cast<double>(benchmark.seconds) / static_cast<double>(plans.size()));
    if (!sweep) return stop_exit_code();
    print_sweep(*sweep, benchmark.precision, json);
    sweeps.push_back(std::move(*sweep));
  }
  if (!benchmark.out.empty()) {
    write_output(benchmark.out, scaling_page(sweeps, machine_text(benchmark.precision), MINNOW_VERSION),
                 benchmark.overwrite);
  }
  return 0;
}

}  // namespace minnow::cli
