#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "cli/bench_clock.hpp"
#include "cli/bench_workload.hpp"
#include "cli/json_line.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"

namespace minnow::cli {
namespace {

constexpr std::int64_t kOverheadHead = 4;  // channels of a head
constexpr double kOverheadSettle = 1.2;  // seconds: the team has tried one thread, once more if the first trial failed

/// The same layers, heads and tensors, for one token.
Workload without_arithmetic(const Workload& work) {
  Workload tiny = work;
  tiny.batch = tiny.length = 1;
  tiny.width = kOverheadHead * work.heads;
  return tiny;
}

/// Runs steps until the number of threads is chosen. @return false when a signal asked to stop.
bool settle(StepBench& bench) {
  for (double spent = 0; spent < kOverheadSettle && !stop_asked();) spent += bench.step();
  return !stop_asked();
}

}  // namespace

int bench_overhead(const StepBenchmark& benchmark, bool json) {
  const Workload& work = find_workload(benchmark.workload);
  const Workload tiny = without_arithmetic(work);
  install_stop_signals();
  const ComputeConfig compute = compute_of(benchmark.precision);
  StepBench small(tiny, compute);
  StepBench whole(work, compute);
  if (!settle(small) || !settle(whole)) return stop_exit_code();
  const auto times = time_in_turns(small, whole, work.steps);
  if (!times) return stop_exit_code();
  if (json) {
    print_result(json_line({{"workload", work.name},
                            {"ms_per_step", rounded(times->first * 1e3, 10000)},
                            {"whole_ms_per_step", rounded(times->second * 1e3, 1000)},
                            {"share", rounded(times->ratio, 10000)},
                            {"width", tiny.width},
                            {"peak_rss_mb", peak_rss_mb()},
                            {"threads", threads()},
                            {"threads_used", small.threads_used()},
                            {"whole_threads_used", whole.threads_used()},
                            {"precision", benchmark.precision}}));
    return 0;
  }
  print_result(fmt::format("{}: {:.4f} ms without arithmetic (one token, width {}), {:.3f} ms with it: {:.1f} %\n",
                           work.name, times->first * 1e3, tiny.width, times->second * 1e3, 100 * times->ratio));
  return 0;
}

}  // namespace minnow::cli
