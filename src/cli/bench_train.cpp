#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "cli/bench_clock.hpp"
#include "cli/bench_workload.hpp"
#include "cli/human.hpp"
#include "cli/json_line.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "minnow/train/machine_roof.hpp"

namespace minnow::cli {
namespace {

/// @return tokens/s of documents through those of as many tokens in full rows; 0 when a signal asked to stop.
double ratio_to_full_rows(StepBench& documents, const Workload& work, const ComputeConfig& compute,
                          std::int64_t steps) {
  StepBench full(full_rows(work), compute);
  if (!time_steps(full, work, 1)) return 0;
  const auto times = time_in_turns(full, documents, steps);
  return times ? times->ratio : 0;
}

}  // namespace

int bench_train(const TrainBenchmark& benchmark, bool json) {
  const Workload& work = find_workload(benchmark.workload);
  install_stop_signals();
  const ComputeConfig compute = compute_of(benchmark.precision, benchmark.gemm);
  StepBench bench(work, compute);
  const auto times = time_steps(bench, work, benchmark.steps);
  if (!times) return stop_exit_code();
  const auto tokens = static_cast<double>(step_tokens(work));
  const double gflops = step_flops(work, bench.parameters()) / times->median / 1e9;
  const std::int64_t memory = peak_rss_mb();  // before the measurement of the peak takes its own
  const double full = work.documents ? ratio_to_full_rows(bench, work, compute, times->timed) : 0;
  const double peak = product_peak(gemm_precision(compute), stop_asked).gflops;
  if (stop_asked()) return stop_exit_code();
  if (json) {
    nlohmann::ordered_json object = {{"workload", work.name},
                                     {"tokens_per_s", rounded(tokens / times->median, 10)},
                                     {"ms_per_step", rounded(times->median * 1e3, 1000)},
                                     {"gflops", rounded(gflops, 10)},
                                     {"share", rounded(gflops / peak, 1000)},
                                     {"first_step_s", rounded(times->first, 10000)},
                                     {"peak_rss_mb", memory},
                                     {"threads", threads()},
                                     {"threads_used", bench.threads_used()},
                                     {"precision", benchmark.precision},
                                     {"gemm", kernels::gemm_name()},
                                     {"parameters", bench.parameters()},
                                     {"steps", times->timed},
                                     {"loss", bench.loss()}};
    if (work.documents) object["ratio_to_full_rows"] = rounded(full, 1000);
    print_result(json_line(object));
    return 0;
  }
  print_result(fmt::format(
      "{}: {} tokens/s, {:.3f} ms per step, {:.1f} GFLOP/s ({:.0f} % of the peak), first step {:.3f} s, {} MiB, "
      "{} threads, {} parameters, {} by {}\n",
      work.name, grouped(std::llround(tokens / times->median)), times->median * 1e3, gflops, 100 * gflops / peak,
      times->first, memory, threads(), grouped(bench.parameters()), benchmark.precision, kernels::gemm_name()));
  if (work.documents) print_result(fmt::format("{:.3f} times the tokens/s of as many tokens in full rows\n", full));
  return 0;
}

}  // namespace minnow::cli
