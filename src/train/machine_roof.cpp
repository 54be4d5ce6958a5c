#include "minnow/train/machine_roof.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "minnow/base/parallel.hpp"
#include "minnow/tensor/storage.hpp"

namespace minnow {
namespace {

constexpr double kSecondsPerShape = 0.06;
constexpr int kMemoryPasses = 6;
constexpr int kCachePasses = 200;
constexpr Index kChunkBytes = Index{1} << 20;
constexpr Index kLeastBuffer = Index{64} << 20;
// Virtual machines tell of all that the processor has, most of which is used by others.
constexpr Index kMostSharedCache = Index{32} << 20;
constexpr Index kMostBuffer = Index{256} << 20;

/// m is rows per thread.
struct ProductShape {
  Index m, n, k;
};
constexpr ProductShape kComfortable[] = {{768, 384, 128}, {768, 384, 384}, {768, 768, 512}};

template <class Work>
double seconds_taken(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

bool asked(const std::function<bool()>& stop) { return stop && stop(); }

double best_seconds(const kernels::GemmArgs<float>& args, const std::function<bool()>& stop) {
  kernels::gemm(args);
  double best = 1e9;
  for (double spent = 0; spent < kSecondsPerShape && !asked(stop);) {
    const double seconds = seconds_taken([&] { kernels::gemm(args); });
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

/// @return bytes of the second cache of one core; half a mebibyte where the system does not tell.
Index second_cache_bytes() {
  const Index cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return cache > 0 ? cache : Index{1} << 19;
}

/// Ones in memory as tensors have it: of huge pages, which are read up to twice as fast as small ones.
class LargeBuffer {
 public:
  explicit LargeBuffer(Index bytes) : storage_(Storage::allocate(static_cast<std::size_t>(bytes))) {
    std::ranges::fill(this->bytes(), char{1});
  }
  [[nodiscard]] std::span<char> bytes() const { return {reinterpret_cast<char*>(storage_->data()), storage_->bytes()}; }

 private:
  std::shared_ptr<Storage> storage_;
};

/// @return seconds of a search for a byte that is not there: the C library reads as fast as it can.
double search_seconds(std::span<const char> buffer) {
  const Index size = std::ssize(buffer);
  std::vector<const void*> found(static_cast<std::size_t>((size + kChunkBytes - 1) / kChunkBytes));
  const double seconds = seconds_taken([&] {
    parallel_ranges(size, kChunkBytes, [&](Index begin, Index end, Index chunk) {
      found[static_cast<std::size_t>(chunk)] =
          std::memchr(buffer.data() + begin, 0, static_cast<std::size_t>(end - begin));
    });
  });
  // What was found is used: no compiler may leave the search out.
  return std::count(found.begin(), found.end(), nullptr) == 0 ? 2 * seconds : seconds;
}

/// @return seconds in which every chunk is copied `times` times, by the thread that took it.
double copy_seconds(std::span<const char> from, std::span<char> to, Index chunk, int times) {
  return seconds_taken([&] {
    parallel_ranges(std::ssize(from), chunk, [&](Index begin, Index end, Index) {
      for (int i = 0; i < times; ++i) {
        std::memcpy(to.data() + begin, from.data() + begin, static_cast<std::size_t>(end - begin));
        asm volatile("" : : "r"(to.data()) : "memory");  // NOLINT(hicpp-no-assembler): each copy counts
      }
    });
  });
}

}  // namespace

ProductPeak product_peak(kernels::GemmPrecision precision, const std::function<bool()>& stop) {
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
    for (const kernels::GemmBackend backend : kernels::gemm_backends()) {
      kernels::set_gemm_backend(backend);
      const double rate = 2e-9 * static_cast<double>(m * shape.n * shape.k) / best_seconds(args, stop);
      if (rate > peak.gflops) peak = {rate, backend};
    }
  }
  return peak;
}

MemoryPeak memory_peak(const std::function<bool()>& stop) {
  MemoryPeak peak;
  {
    const Index size = buffer_bytes();
    const LargeBuffer from(size);
    const LargeBuffer to(size);
    for (int pass = 0; pass < kMemoryPasses && !asked(stop); ++pass) {
      peak.read = std::max(peak.read, static_cast<double>(size) / search_seconds(from.bytes()) / 1e9);
      peak.copy = std::max(
          peak.copy, 2 * static_cast<double>(size) / copy_seconds(from.bytes(), to.bytes(), kChunkBytes, 1) / 1e9);
    }
  }
  const Index each = second_cache_bytes() / 4;  // two buffers take half of it
  std::vector<char> from(static_cast<std::size_t>(each * threads()), 1);
  std::vector<char> to(from.size(), 1);
  for (int pass = 0; pass < kMemoryPasses && !asked(stop); ++pass) {
    const double seconds = copy_seconds(from, to, each, kCachePasses);
    peak.cache = std::max(peak.cache, 2 * kCachePasses * static_cast<double>(from.size()) / seconds / 1e9);
  }
  return peak;
}

double MachineRoof::least_seconds(double flops, double bytes) const {
  const double rate = bytes <= cache_bytes ? cache_gb_per_s : memory_gb_per_s;
  const double for_products = gflops > 0 ? flops / gflops : 0;
  return std::max(for_products, rate > 0 ? bytes / rate : 0) / 1e9;
}

const char* MachineRoof::bound(double flops, double bytes) const {
  if (flops <= 0 && bytes <= 0) return "";
  if (gflops > 0 && flops / gflops / 1e9 >= least_seconds(flops, bytes)) return "products";
  return bytes <= cache_bytes ? "cache" : "memory";
}

MachineRoof measure_roof(kernels::GemmPrecision precision, const std::function<bool()>& stop) {
  const MemoryPeak memory = memory_peak(stop);
  MachineRoof roof;
  roof.gflops = product_peak(precision, stop).gflops;
  roof.memory_gb_per_s = std::max(memory.read, memory.copy);
  roof.cache_gb_per_s = std::max(memory.cache, roof.memory_gb_per_s);
  const Index last = std::min<Index>(sysconf(_SC_LEVEL3_CACHE_SIZE), kMostSharedCache);
  roof.cache_bytes = static_cast<double>(std::max(last, second_cache_bytes() * threads()));
  return roof;
}

void fill_varied(std::span<float> numbers) {
  std::uint32_t state = 1;
  for (float& number : numbers) {
    state = state * 1664525U + 1013904223U;  // Numerical Recipes' generator: good enough for that
    number = static_cast<float>(state >> 8U) / static_cast<float>(1U << 24U) - 0.5F;
  }
}

}  // namespace minnow
