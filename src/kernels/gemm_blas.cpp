#include "kernels/gemm_blas.hpp"

#include <cblas.h>
#include <fmt/format.h>
#include <omp.h>
#include <sys/mman.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "minnow/base/error.hpp"
#include "minnow/kernels/gemm.hpp"

// Weak: another BLAS than OpenBLAS links too, and is reported as unknown.
extern "C" {
__attribute__((weak)) char* openblas_get_config(void);
__attribute__((weak)) char* openblas_get_corename(void);
__attribute__((weak)) int openblas_get_parallel(void);
__attribute__((weak)) void openblas_set_num_threads(int count);
}

namespace minnow::kernels {
namespace {

// What openblas_get_parallel returns (OpenBLAS cblas.h).
constexpr int kSerial = 0, kPthread = 1, kOpenmp = 2;

// What OpenBLAS takes for each thread that is inside a product (BUFFER_SIZE of its x86-64 builds), and a little more.
constexpr std::size_t kBufferBytes = (std::size_t{128} << 20U) + (std::size_t{1} << 20U);

int flavour() { return openblas_get_parallel != nullptr ? openblas_get_parallel() : -1; }

/// @return how many of the wanted buffers there is room for.
std::size_t count_reservable(std::size_t wanted) {
  std::vector<void*> maps;
  while (maps.size() < wanted) {
    void* at = ::mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) break;
    maps.push_back(at);
  }
  for (void* at : maps) ::munmap(at, kBufferBytes);
  return maps.size();
}

/// OpenBLAS tries for ever when it gets no buffer: whether there is room is found out first, once for a team's size.
void require_buffers() {
  static std::atomic<int> granted{0};
  if (openblas_get_config == nullptr || in_parallel()) return;
  const int team = threads();
  if (team <= granted.load(std::memory_order_relaxed)) return;
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  const int before = granted.load();
  if (team <= before) return;
  const auto missing = static_cast<std::size_t>(team - before);
  if (const std::size_t found = count_reservable(missing); found < missing) {
    throw MemoryError(
        fmt::format("[memory] OpenBLAS must have {} MiB of address space for each of {} threads; there is room for {}. "
                    "Hint: raise ulimit -v, or use fewer threads (compute.threads, --threads)",
                    kBufferBytes >> 20U, team, static_cast<std::size_t>(before) + found));
  }
  granted.store(team);
}

CBLAS_TRANSPOSE transpose_of(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }

}  // namespace

void multiply_blas(const TileProduct<float>& x) {
  cblas_sgemm(CblasRowMajor, transpose_of(x.trans_a), transpose_of(x.trans_b), static_cast<int>(x.m),
              static_cast<int>(x.n), static_cast<int>(x.k), x.alpha, x.a, static_cast<int>(x.lda), x.b,
              static_cast<int>(x.ldb), x.beta, x.c, static_cast<int>(x.ldc));
}

void multiply_blas(const TileProduct<double>& x) {
  cblas_dgemm(CblasRowMajor, transpose_of(x.trans_a), transpose_of(x.trans_b), static_cast<int>(x.m),
              static_cast<int>(x.n), static_cast<int>(x.k), x.alpha, x.a, static_cast<int>(x.lda), x.b,
              static_cast<int>(x.ldb), x.beta, x.c, static_cast<int>(x.ldc));
}

BlasInfo blas_info() {
  BlasInfo info{"unknown", "", "unknown"};
  if (openblas_get_corename != nullptr) info.core = openblas_get_corename();
  if (openblas_get_config != nullptr) info.config = openblas_get_config();
  const int kind = flavour();
  if (kind == kSerial) info.flavour = "serial";
  if (kind == kPthread) info.flavour = "pthread";
  if (kind == kOpenmp) info.flavour = "openmp";
  return info;
}

void prepare_gemm() { prepare_blas(); }

void prepare_blas() {
  static const bool kDone = [] {
    static_cast<void>(threads());  // asks OpenMP how many there may be, before the OpenMP flavour sets that to 1
    if (openblas_set_num_threads == nullptr) return true;
    const int openmp = omp_get_max_threads();
    openblas_set_num_threads(1);
    omp_set_num_threads(openmp);
    return true;
  }();
  static_cast<void>(kDone);
  require_buffers();
}

}  // namespace minnow::kernels
