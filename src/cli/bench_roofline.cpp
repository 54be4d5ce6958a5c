#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "cli/bench_clock.hpp"
#include "cli/bench_peak.hpp"
#include "cli/bench_profile.hpp"
#include "cli/bench_workload.hpp"
#include "cli/json_line.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"

namespace minnow::cli {
namespace {

/// The bounds that the machine sets.
struct Roof {
  double gflops = 0;
  double gb_per_s = 0;
};

/// @return the least time that the roof allows, as a share of the time taken: above 1 when the data came out of a
/// cache.
double share_of_roof(const StepPart& part, const Roof& roof) {
  if (part.seconds <= 0) return 0;
  return std::max(part.flops / roof.gflops, part.bytes / roof.gb_per_s) / 1e9 / part.seconds;
}

void print_part(const StepPart& part, const Roof& roof, double whole, bool json) {
  const double gflops = part.flops / part.seconds / 1e9;
  const double gb_per_s = part.bytes / part.seconds / 1e9;
  if (json) {
    print_result(json_line({{"name", part.name},
                            {"pass", part.pass},
                            {"inputs", part.inputs},
                            {"calls", part.calls},
                            {"us", rounded(part.seconds * 1e6, 10)},
                            {"time_share", rounded(part.seconds / whole, 1e4)},
                            {"gflops", rounded(gflops, 10)},
                            {"gb_per_s", rounded(gb_per_s, 10)},
                            {"share", rounded(share_of_roof(part, roof), 1000)}}));
    return;
  }
  print_result(fmt::format("{:<24} {:<9} {:>6.1f} {:>5} {:>11.1f} {:>8.1f} {:>7.1f} {:>6.2f}  {}\n", part.name,
                           part.pass, 100 * part.seconds / whole, part.calls, part.seconds * 1e6, gflops, gb_per_s,
                           share_of_roof(part, roof), part.inputs));
}

}  // namespace

int bench_roofline(const StepBenchmark& benchmark, bool json) {
  const Workload& work = find_workload(benchmark.workload);
  install_stop_signals();
  const ComputeConfig compute = compute_of(benchmark.precision);
  const auto precision =
      compute.precision == PrecisionKind::kBf16 ? kernels::GemmPrecision::kBf16 : kernels::GemmPrecision::kF32;
  const Roof roof{product_peak(precision).gflops, memory_peak().read};
  if (stop_signal().load() != 0) return stop_exit_code();
  const auto profile = profile_step(work, compute);
  if (!profile) return stop_exit_code();
  if (!json) {
    print_result(fmt::format("{:<24} {:<9} {:>6} {:>5} {:>11} {:>8} {:>7} {:>6}  {}\n", "operation", "pass", "% time",
                             "calls", "us", "GFLOP/s", "GB/s", "share", "inputs"));
  }
  double between = profile->seconds;
  for (const StepPart& part : profile->parts) {
    print_part(part, roof, profile->seconds, json);
    between -= part.seconds;
  }
  if (json) {
    print_result(json_line({{"workload", work.name},
                            {"ms_per_step", rounded(profile->seconds * 1e3, 1000)},
                            {"between_ms", rounded(between * 1e3, 1000)},
                            {"gflops", rounded(step_flops(work, profile->parameters) / profile->seconds / 1e9, 10)},
                            {"peak_gflops", rounded(roof.gflops, 10)},
                            {"peak_gb_per_s", rounded(roof.gb_per_s, 10)},
                            {"threads", threads()},
                            {"precision", benchmark.precision},
                            {"gemm", kernels::gemm_name()}}));
    return 0;
  }
  print_result(
      fmt::format("{}: {:.3f} ms per step, {:.3f} ms of it between operations; the roof: {:.1f} GFLOP/s, {:.1f} GB/s; "
                  "{} threads, {} by {}\n",
                  work.name, profile->seconds * 1e3, between * 1e3, roof.gflops, roof.gb_per_s, threads(),
                  benchmark.precision, kernels::gemm_name()));
  return 0;
}

}  // namespace minnow::cli
