#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cli/bench.hpp"
#include "cli/bench_clock.hpp"
#include "cli/bench_workload.hpp"
#include "cli/json_line.hpp"
#include "cli/signals.hpp"
#include "cli/terminal.hpp"
#include "minnow/train/machine_roof.hpp"

namespace minnow::cli {
namespace {

constexpr double kSecondsPerProduct = 0.1;  // all backends together
constexpr int kLeastCalls = 3;
constexpr int kMostCalls = 500;

/// One distinct product of a training step: C (m, n) = op(A) op(B), inner size k.
struct Product {
  std::string name;
  Index m, n, k;
  bool trans_a, trans_b;
  Index matrices;   ///< multiplied in one call
  Index times;      ///< calls in a step
  double part = 1;  ///< share of its arithmetic that a step needs
};

/// The three products of y = x W^T: x (rows, in), W (out, in).
void add_linear(std::vector<Product>& all, const char* name, Index rows, Index in, Index out, Index times) {
  all.push_back({fmt::format("{} y = x W^T", name), rows, out, in, false, true, 1, times});
  all.push_back({fmt::format("{} dx = dy W", name), rows, in, out, false, false, 1, times});
  all.push_back({fmt::format("{} dW = dy^T x", name), out, in, rows, true, false, 1, times});
}

/// The six products of attention with heads of `size` channels, one matrix per sequence and head. Of the scores
/// only those on and below the diagonal count.
void add_attention(std::vector<Product>& all, const Workload& work) {
  const Index t = work.length;
  const Index size = work.width / work.heads;
  const Index matrices = work.batch * work.heads;
  const double part = static_cast<double>(t + 1) / static_cast<double>(2 * t);
  const auto add = [&](const char* name, Index n, Index k, bool trans_a, bool trans_b) {
    all.push_back({fmt::format("attention {}", name), t, n, k, trans_a, trans_b, matrices, work.layers, part});
  };
  add("S = Q K^T", t, size, false, true);
  add("O = P V", size, t, false, false);
  add("dP = dO V^T", t, size, false, true);
  add("dV = P^T dO", size, t, true, false);
  add("dQ = dS K", size, t, false, false);
  add("dK = dS^T Q", size, t, true, false);
}

std::vector<Product> products_of(const Workload& work) {
  const Index rows = work.batch * work.length;
  const Index c = work.width;
  std::vector<Product> all;
  add_linear(all, "qkv", rows, c, 3 * c, work.layers);
  add_attention(all, work);
  add_linear(all, "projection", rows, c, c, work.layers);
  add_linear(all, "ffn up", rows, c, 4 * c, work.layers);
  add_linear(all, "ffn down", rows, 4 * c, c, work.layers);
  add_linear(all, "head", rows, c, work.vocabulary, 1);
  return all;
}

struct Timing {
  double seconds = 0;
  kernels::GemmBackend backend = kernels::GemmBackend::kOpenblas;
};

Tensor varied_numbers(Index count) {
  Tensor made = Tensor::empty({count});
  fill_varied({made.mutable_data<float>(), static_cast<std::size_t>(count)});
  return made;
}

kernels::GemmArgs<float> arguments_of(const Product& product, const Tensor& a, const Tensor& b, Tensor& c) {
  kernels::GemmArgs<float> args{.m = product.m, .n = product.n, .k = product.k};
  args.a = a.data<float>();
  args.lda = product.trans_a ? product.m : product.k;
  args.trans_a = product.trans_a;
  args.b = b.data<float>();
  args.ldb = product.trans_b ? product.k : product.n;
  args.trans_b = product.trans_b;
  args.c = c.mutable_data<float>();
  args.ldc = product.n;
  return args;
}

/// @return the faster backend and the median of its calls, which alternate with those of the others; nothing when a
/// signal asked to stop.
std::optional<Timing> time_product(const Product& product, kernels::GemmPrecision precision) {
  const kernels::GemmBatch<float> batch{product.matrices, product.m * product.k, product.k * product.n,
                                        product.m * product.n};
  const Tensor a = varied_numbers(batch.count * batch.stride_a);
  const Tensor b = varied_numbers(batch.count * batch.stride_b);
  Tensor c = varied_numbers(batch.count * batch.stride_c);
  kernels::GemmArgs<float> args = arguments_of(product, a, b, c);
  args.precision = precision;
  const auto multiply = [&] { batch.count == 1 ? kernels::gemm(args) : kernels::gemm_batch(args, batch); };
  const kernels::GemmBackendScope restore;
  const auto backends = kernels::gemm_backends();
  std::vector<std::vector<double>> seconds(backends.size());
  double spent = 0;
  for (int call = -1; call < kLeastCalls || (call < kMostCalls && spent < kSecondsPerProduct); ++call) {
    for (std::size_t i = 0; i < backends.size(); ++i) {
      kernels::set_gemm_backend(backends[i]);
      const double once = seconds_of(multiply);
      if (stop_signal().load() != 0) return std::nullopt;
      if (call < 0) continue;  // the first one warms up
      seconds[i].push_back(once);
      spent += once;
    }
  }
  Timing best{1e9};
  for (std::size_t i = 0; i < backends.size(); ++i) {
    const double median = median_of(seconds[i]);
    if (median < best.seconds) best = {median, backends[i]};
  }
  return best;
}

void print_row(const Product& product, const Timing& timing, double peak, bool json) {
  const double rate = 2e-9 * static_cast<double>(product.m * product.n * product.k * product.matrices) / timing.seconds;
  if (json) {
    print_result(json_line({{"name", product.name},
                            {"m", product.m},
                            {"n", product.n},
                            {"k", product.k},
                            {"matrices", product.matrices},
                            {"times", product.times},
                            {"part", rounded(product.part, 1e4)},
                            {"us", rounded(timing.seconds * 1e6, 10)},
                            {"gflops", rounded(rate, 10)},
                            {"share", rounded(rate / peak, 1000)},
                            {"gemm", kernels::gemm_name(timing.backend)}}));
  } else {
    print_result(fmt::format("{:<22} {:>6} {:>6} {:>6} {:>8} {:>5} {:>5.2f} {:>11.1f} {:>8.1f} {:>5.2f}  {}\n",
                             product.name, product.m, product.n, product.k, product.matrices, product.times,
                             product.part, timing.seconds * 1e6, rate, rate / peak,
                             kernels::gemm_name(timing.backend)));
  }
  flush_results();
}

/// What the sum of the products is compared with.
struct WholeStep {
  double seconds = 0;
  double gflops = 0;
};

void print_sum(const Workload& work, const std::string& precision, double floor, const WholeStep& whole, double peak,
               bool json) {
  const double step = whole.seconds;
  const double tokens = static_cast<double>(work.batch * work.length);
  if (json) {
    print_result(json_line({{"workload", work.name},
                            {"floor_ms", rounded(floor * 1e3, 1000)},
                            {"ms_per_step", rounded(step * 1e3, 1000)},
                            {"ratio", rounded(step / floor, 1000)},
                            {"tokens_per_s", rounded(tokens / step, 10)},
                            {"gflops", rounded(whole.gflops, 10)},
                            {"share", rounded(whole.gflops / peak, 1000)},
                            {"peak_rss_mb", peak_rss_mb()},
                            {"threads", threads()},
                            {"precision", precision},
                            {"gemm", kernels::gemm_name()}}));
    return;
  }
  print_result(
      fmt::format("{}: products alone {:.3f} ms, step {:.3f} ms: {:.2f} times the floor; {} threads, {} by {}\n",
                  work.name, floor * 1e3, step * 1e3, step / floor, threads(), precision, kernels::gemm_name()));
}

}  // namespace

int bench_floor(const StepBenchmark& benchmark, bool json) {
  const Workload& work = find_workload(benchmark.workload);
  install_stop_signals();
  const ComputeConfig compute = compute_of(benchmark.precision);
  const kernels::GemmPrecision precision = gemm_precision(compute);
  const double peak = product_peak(precision, stop_asked).gflops;
  if (stop_signal().load() != 0) return stop_exit_code();
  if (!json) {
    print_result(fmt::format("{:<22} {:>6} {:>6} {:>6} {:>8} {:>5} {:>5} {:>11} {:>8} {:>5}  {}\n", "product", "m", "n",
                             "k", "matrices", "times", "part", "us", "GFLOP/s", "share", "by"));
  }
  double floor = 0;
  for (const Product& product : products_of(work)) {
    const auto timing = time_product(product, precision);
    if (!timing) return stop_exit_code();
    floor += timing->seconds * static_cast<double>(product.times) * product.part;
    print_row(product, *timing, peak, json);
  }
  StepBench bench(work, compute);
  const auto times = time_steps(bench, work, 0);
  if (!times) return stop_exit_code();
  const double gflops = step_flops(work, bench.parameters()) / times->median / 1e9;
  print_sum(work, benchmark.precision, floor, {times->median, gflops}, peak, json);
  return 0;
}

}  // namespace minnow::cli
