#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "cli/bench_clock.hpp"
#include "cli/bench_workload.hpp"
#include "cli/json_line.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "minnow/train/profile.hpp"

namespace minnow::cli {
namespace {

constexpr std::int64_t kMostProfiledSteps = 100;

void print_part_json(const ProfilePart& part, const Profile& profile) {
  print_result(json_line({{"name", part.name},
                          {"pass", part.pass},
                          {"inputs", part.inputs},
                          {"calls", std::llround(part.calls)},
                          {"us", rounded(part.seconds * 1e6, 10)},
                          {"time_share", rounded(part.seconds / profile.step_seconds, 1e4)},
                          {"gflops", rounded(part.gflops(), 10)},
                          {"gb_per_s", rounded(part.gb_per_s(), 10)},
                          {"share", rounded(part.share(profile.roof), 1000)},
                          {"bound", part.bound(profile.roof)}}));
}

void print_step_json(const Workload& work, const Profile& profile, double flops) {
  const double gflops = flops / profile.step_seconds / 1e9;
  print_result(json_line({{"workload", work.name},
                          {"tokens_per_s", rounded(profile.tokens_per_step / profile.step_seconds, 10)},
                          {"ms_per_step", rounded(profile.step_seconds * 1e3, 1000)},
                          {"between_ms", rounded(profile.between_seconds() * 1e3, 1000)},
                          {"gflops", rounded(gflops, 10)},
                          {"share", rounded(gflops / profile.roof.gflops, 1000)},
                          {"peak_gflops", rounded(profile.roof.gflops, 10)},
                          {"peak_gb_per_s", rounded(profile.roof.memory_gb_per_s, 10)},
                          {"peak_cache_gb_per_s", rounded(profile.roof.cache_gb_per_s, 10)},
                          {"peak_rss_mb", profile.peak_rss_mb},
                          {"threads", profile.threads},
                          {"precision", profile.precision},
                          {"gemm", profile.gemm}}));
}

}  // namespace

int bench_roofline(const StepBenchmark& benchmark, bool json) {
  const Workload& work = find_workload(benchmark.workload);
  install_stop_signals();
  const ComputeConfig compute = compute_of(benchmark.precision);
  Profiler profiler;
  StepBench bench(work, compute, &profiler);
  const std::int64_t steps = Profiler::kUntimedSteps + std::min(work.steps, kMostProfiledSteps);
  for (std::int64_t i = 0; i < steps; ++i) {
    if (stop_signal().load() != 0) return stop_exit_code();
    bench.step();
  }
  Profile profile = profiler.finish();  // before the measurement of the roof takes memory
  profile.roof = measure_roof(gemm_precision(compute), stop_asked);
  if (stop_signal().load() != 0) return stop_exit_code();
  profile.raise_roof();
  profile.precision = benchmark.precision;
  if (!json) {
    print_result(fmt::format("{}\n{}", work.name, profile_table(profile, profile.parts.size())));
    return 0;
  }
  for (const ProfilePart& part : profile.parts) print_part_json(part, profile);
  print_step_json(work, profile, step_flops(work, bench.parameters()));
  return 0;
}

}  // namespace minnow::cli
