#include "cli/bench_peak.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "cli/bench_clock.hpp"
#include "cli/signals.hpp"

namespace minnow::cli {
namespace {

constexpr double kSecondsPerShape = 0.06;
constexpr int kMemoryPasses = 6;
constexpr Index kChunkBytes = Index{1} << 20;
constexpr Index kLeastBuffer = Index{64} << 20;
constexpr Index kMostBuffer = Index{256} << 20;

/// m is rows per thread.
struct ProductShape {
  Index m, n, k;
};
constexpr ProductShape kComfortable[] = {{768, 384, 128}, {768, 384, 384}, {768, 768, 512}};

double best_seconds(const kernels::GemmArgs<float>& args) {
  kernels::gemm(args);
  double best = 1e9;
  for (double spent = 0; spent < kSecondsPerShape && stop_signal().load() == 0;) {
    const double seconds = seconds_of([&] { kernels::gemm(args); });
    best = std::min(best, seconds);
    spent += seconds;
  }
  return best;
}

/// @return bytes of each of two buffers: four times the last cache, as far as the system tells its size.
Index buffer_bytes() {
  const Index cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return cache > 0 ? std::clamp(4 * cache, kLeastBuffer, kMostBuffer) : kMostBuffer;
}

}  // namespace

ProductPeak product_peak(kernels::GemmPrecision precision) {
  const kernels::GemmBackendScope restore;
  ProductPeak peak;
  for (const ProductShape& shape : kComfortable) {
    const Index m = shape.m * threads();
    std::vector<float> a(static_cast<std::size_t>(m * shape.k));
    std::vector<float> b(static_cast<std::size_t>(shape.n * shape.k));
    std::vector<float> c(static_cast<std::size_t>(m * shape.n));
    fill_varied(a);
    fill_varied(b);
    kernels::GemmArgs<float> args{.m = m,
                                  .n = shape.n,
                                  .k = shape.k,
                                  .a = a.data(),
                                  .lda = shape.k,
                                  .b = b.data(),
                                  .ldb = shape.k,
                                  .trans_b = true,
                                  .c = c.data(),
                                  .ldc = shape.n};
    args.precision = precision;
    for (const kernels::GemmBackend backend : gemm_backends()) {
      kernels::set_gemm_backend(backend);
      const double rate = 2e-9 * static_cast<double>(m * shape.n * shape.k) / best_seconds(args);
      if (rate > peak.gflops) peak = {rate, backend};
    }
  }
  return peak;
}

MemoryPeak memory_peak() {
  const Index size = buffer_bytes();
  std::vector<char> from(static_cast<std::size_t>(size), 1);
  std::vector<char> to(static_cast<std::size_t>(size), 1);
  std::vector<const void*> found(static_cast<std::size_t>((size + kChunkBytes - 1) / kChunkBytes));
  MemoryPeak peak;
  for (int pass = 0; pass < kMemoryPasses && stop_signal().load() == 0; ++pass) {
    const double read = seconds_of([&] {  // searches a byte that is not there: the C library reads as fast as it can
      parallel_ranges(size, kChunkBytes, [&](Index begin, Index end, Index chunk) {
        found[static_cast<std::size_t>(chunk)] =
            std::memchr(from.data() + begin, 0, static_cast<std::size_t>(end - begin));
      });
    });
    const double copy = seconds_of([&] {
      parallel_ranges(size, kChunkBytes, [&](Index begin, Index end, Index) {
        std::memcpy(to.data() + begin, from.data() + begin, static_cast<std::size_t>(end - begin));
      });
    });
    // What the passes found is used: no compiler may leave them out.
    if (to[static_cast<std::size_t>(pass)] == 0 || std::count(found.begin(), found.end(), nullptr) == 0) break;
    peak.read = std::max(peak.read, static_cast<double>(size) / read / 1e9);
    peak.copy = std::max(peak.copy, 2 * static_cast<double>(size) / copy / 1e9);
  }
  return peak;
}

}  // namespace minnow::cli
