// Times matrix products and attention on the shapes of real training steps: bench_kernels_a [char|baby|gpt2]
// [threads...] Prints the best and the median of many repetitions, since other programs may share the cores.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "minnow/base/philox.hpp"
#include "minnow/kernels/attention.hpp"
#include "minnow/kernels/gemm.hpp"

namespace {

using minnow::Index;
using minnow::kernels::AttentionArgs;
using minnow::kernels::GemmArgs;
using minnow::kernels::HeadView;

struct Timing {
  double best_s, median_s;
};

template <class Body>
Timing measure(double flops, Body&& body) {
  const int repeats = static_cast<int>(std::clamp(2e10 / flops, 5.0, 200.0));
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    body();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return {seconds.front(), seconds[seconds.size() / 2]};
}

std::vector<float> random_values(Index count, std::uint32_t stream) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = minnow::random_uniform(minnow::RandomKey{1, stream, 0}, i) - 0.5F;
  return values;
}

Timing bench_gemm(const char* name, Index m, Index n, Index k, bool trans_a, bool trans_b, bool print = true) {
  const auto a = random_values(m * k, 1), b = random_values(n * k, 2);
  std::vector<float> c(static_cast<std::size_t>(m * n));
  const GemmArgs<float> args{.m = m,
                             .n = n,
                             .k = k,
                             .a = a.data(),
                             .lda = trans_a ? m : k,
                             .trans_a = trans_a,
                             .b = b.data(),
                             .ldb = trans_b ? k : n,
                             .trans_b = trans_b,
                             .c = c.data(),
                             .ldc = n};
  const double flops = 2.0 * static_cast<double>(m * n) * static_cast<double>(k);
  const Timing t = measure(flops, [&] { gemm(args); });
  if (print)
    std::printf("  %-28s %5ld x %5ld x %5ld  best %8.3f ms  median %8.3f ms  %6.1f GFLOP/s\n", name,
                static_cast<long>(m), static_cast<long>(n), static_cast<long>(k), t.best_s * 1e3, t.median_s * 1e3,
                flops / t.best_s * 1e-9);
  return t;
}

/// A linear layer's three products, forward (rows, in) (out, in)^T and both gradients.
Timing bench_linear(const char* name, Index rows, Index in, Index out) {
  std::printf(" %s\n", name);
  const Timing all[] = {bench_gemm("forward", rows, out, in, false, true),
                        bench_gemm("gradient of the input", rows, in, out, false, false),
                        bench_gemm("gradient of the weight", out, in, rows, true, false)};
  Timing sum{0, 0};
  for (const Timing& t : all) sum = {sum.best_s + t.best_s, sum.median_s + t.median_s};
  return sum;
}

void bench_model(const char* name, Index rows, Index width, Index vocabulary, Index layers) {
  std::printf("%s: rows %ld, C %ld, V %ld\n", name, static_cast<long>(rows), static_cast<long>(width),
              static_cast<long>(vocabulary));
  Timing layer{0, 0};
  for (const Timing& t :
       {bench_linear("qkv", rows, width, 3 * width), bench_linear("projection", rows, width, width),
        bench_linear("ffn up", rows, width, 4 * width), bench_linear("ffn down", rows, 4 * width, width)})
    layer = {layer.best_s + t.best_s, layer.median_s + t.median_s};
  const Timing head = bench_linear("head", rows, width, vocabulary);
  const auto count = static_cast<double>(layers);
  std::printf(" all products of a step of %ld layers: best %.2f ms, median %.2f ms\n", static_cast<long>(layers),
              (count * layer.best_s + head.best_s) * 1e3, (count * layer.median_s + head.median_s) * 1e3);
}

void bench_attention(const char* name, Index batch, Index heads, Index length, Index size, double dropout) {
  const Index width = heads * size, packed = 3 * width;
  const auto qkv = random_values(batch * length * packed, 3), dout = random_values(batch * length * width, 4);
  std::vector<float> out(dout.size()), dqkv(qkv.size()), lse(static_cast<std::size_t>(batch * heads * length));
  const auto part = [&](auto* data, Index i) {
    return HeadView<std::remove_pointer_t<decltype(data)>>{data + i * width, length * packed, size, packed};
  };
  AttentionArgs<float> args{.batch = batch,
                            .heads = heads,
                            .kv_heads = heads,
                            .q_len = length,
                            .k_len = length,
                            .head_dim = size,
                            .value_dim = size,
                            .q = part(qkv.data(), 0),
                            .k = part(qkv.data(), 1),
                            .v = part(qkv.data(), 2),
                            .scale = 0.125F,
                            .causal = true,
                            .dropout = dropout};
  std::vector<std::max_align_t> scratch(minnow::kernels::attention_scratch_bytes(args) / sizeof(std::max_align_t) + 8);
  void* memory = scratch.data();
  std::size_t space = scratch.size() * sizeof(std::max_align_t);
  memory = std::align(64, space - 64, memory, space);
  const HeadView<float> out_view{out.data(), length * width, size, width};
  const HeadView<const float> out_const{out.data(), length * width, size, width};
  const HeadView<const float> dout_view{dout.data(), length * width, size, width};
  const double flops = 4.0 * static_cast<double>(batch * heads * length * length * size);
  const Timing forward =
      measure(2 * flops, [&] { attention_forward<float>(args, out_view, lse.data(), nullptr, memory); });
  const Timing backward = measure(2.5 * flops, [&] {
    attention_backward<float>(args, out_const, dout_view, lse.data(), {part(dqkv.data(), 0)}, {part(dqkv.data(), 1)},
                              {part(dqkv.data(), 2)}, memory);
  });
  std::printf(
      "attention %-22s forward best %8.3f median %8.3f ms (%5.1f GFLOP/s), backward best %8.3f median %8.3f ms "
      "(%5.1f)\n",
      name, forward.best_s * 1e3, forward.median_s * 1e3, flops / forward.best_s * 1e-9, backward.best_s * 1e3,
      backward.median_s * 1e3, 2.5 * flops / backward.best_s * 1e-9);
}

void bench_all(const std::string& only) {
  const auto wanted = [&](const char* name) { return only.empty() || only == name; };
  if (wanted("char")) {
    bench_attention("names B32 H4 T16 D16", 32, 4, 16, 16, 0);
    bench_attention("char B12 H4 T64 D32", 12, 4, 64, 32, 0);
    bench_attention("char with dropout", 12, 4, 64, 32, 0.1);
    bench_model("char", 768, 128, 65, 4);
  }
  if (wanted("baby")) {
    bench_attention("baby B16 H6 T256 D64", 16, 6, 256, 64, 0);
    bench_model("baby", 4096, 384, 65, 6);
  }
  if (wanted("long")) bench_attention("long B1 H4 T2048 D64", 1, 4, 2048, 64, 0);
  if (wanted("gpt2")) {
    bench_attention("gpt2 B4 H12 T64 D64", 4, 12, 64, 64, 0);
    bench_attention("gpt2 B1 H12 T1024 D64", 1, 12, 1024, 64, 0);
    bench_model("gpt2", 256, 768, 50257, 12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> counts;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    if (const int count = std::atoi(argv[i]); count > 0)
      counts.push_back(count);
    else
      only = argv[i];
  }
  if (counts.empty()) counts = {1, 2};
  const auto info = minnow::kernels::blas_info();
  std::printf("BLAS: %s, %s (%s)\n", info.core, info.flavour, info.config);
  for (const int count : counts) {
    minnow::set_threads(count);
    std::printf("--- %d thread(s)\n", count);
    bench_all(only);
  }
  return 0;
}
