#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/bench.hpp"
#include "cli/bench_clock.hpp"
#include "cli/bench_workload.hpp"
#include "cli/human.hpp"
#include "cli/json_line.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"

namespace minnow::cli {

int bench_train(const TrainBenchmark& benchmark, bool json) {
  const Workload& work = find_workload(benchmark.workload);
  install_stop_signals();
  StepBench bench(work, compute_of(benchmark.precision, benchmark.gemm));
  const auto times = time_steps(bench, work, benchmark.steps);
  if (!times) return stop_exit_code();
  const auto tokens = static_cast<double>(work.batch * work.length);
  const double flops = step_flops(work, bench.parameters());
  if (json) {
    nlohmann::ordered_json object = {{"workload", work.name},
                                     {"tokens_per_s", rounded(tokens / times->median, 10)},
                                     {"ms_per_step", rounded(times->median * 1e3, 1000)},
                                     {"gflops", rounded(flops / times->median / 1e9, 10)},
                                     {"first_step_s", rounded(times->first, 10000)},
                                     {"peak_rss_mb", peak_rss_mb()},
                                     {"threads", threads()},
                                     {"precision", benchmark.precision},
                                     {"gemm", kernels::gemm_name()},
                                     {"parameters", bench.parameters()},
                                     {"steps", times->timed},
                                     {"loss", bench.loss()}};
    print_result(json_line(object));
    return 0;
  }
  print_result(fmt::format(
      "{}: {} tokens/s, {:.3f} ms per step, {:.1f} GFLOP/s, first step {:.3f} s, {} MiB, "
      "{} threads, {} parameters, {} by {}\n",
      work.name, grouped(std::llround(tokens / times->median)), times->median * 1e3, flops / times->median / 1e9,
      times->first, peak_rss_mb(), threads(), grouped(bench.parameters()), benchmark.precision, kernels::gemm_name()));
  return 0;
}

}  // namespace minnow::cli
