#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/bench.hpp"
#include "cli/bench_clock.hpp"
#include "cli/json_line.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/train/machine_roof.hpp"

namespace minnow::cli {
namespace {

void print_product(kernels::GemmPrecision precision, bool json) {
  const ProductPeak peak = product_peak(precision, stop_asked);
  if (stop_signal().load() != 0) return;
  const char* name = precision == kernels::GemmPrecision::kBf16 ? "bf16" : "f32";
  print_result(json ? json_line({{"limit", name},
                                 {"threads", threads()},
                                 {"gflops", rounded(peak.gflops, 10)},
                                 {"gemm", kernels::gemm_name(peak.backend)}})
                    : fmt::format("{:<28} {:>7} {:>9.1f} GFLOP/s\n",
                                  fmt::format("product in {}, by {}", name, kernels::gemm_name(peak.backend)),
                                  threads(), peak.gflops));
  flush_results();
}

void print_memory(bool json) {
  const MemoryPeak peak = memory_peak(stop_asked);
  if (stop_signal().load() != 0) return;
  const auto print = [&](const char* name, const char* text, double rate) {
    print_result(json ? json_line({{"limit", name}, {"threads", threads()}, {"gb_per_s", rounded(rate, 10)}})
                      : fmt::format("{:<28} {:>7} {:>9.1f} GB/s\n", text, threads(), rate));
  };
  print("read", "memory, read", peak.read);
  print("copy", "memory, copy (read + write)", peak.copy);
  print("cache", "second cache, copy", peak.cache);
  flush_results();
}

}  // namespace

int bench_limits(bool json) {
  install_stop_signals();
  if (!json) print_result(fmt::format("{:<28} {:>7} {:>9}\n", "limit", "threads", "best"));
  std::vector<int> counts{1};
  if (threads() > 1) counts.push_back(threads());
  for (const int count : counts) {
    const ThreadScope scope(count);
    print_product(kernels::GemmPrecision::kF32, json);
    print_product(kernels::GemmPrecision::kBf16, json);
    print_memory(json);
  }
  return stop_exit_code();
}

}  // namespace minnow::cli
