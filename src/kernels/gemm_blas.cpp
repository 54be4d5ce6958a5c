#include "kernels/gemm_blas.hpp"

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

int flavour() { return openblas_get_parallel != nullptr ? openblas_get_parallel() : -1; }

}  // namespace

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

void keep_blas_serial() {
  // Not for the OpenMP flavour: there the call would set the whole program's default to one thread.
  static const bool kDone = [] {
    if (flavour() == kPthread && openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
    return true;
  }();
  static_cast<void>(kDone);
}

}  // namespace minnow::kernels
