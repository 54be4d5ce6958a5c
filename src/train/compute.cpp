#include "minnow/train/compute.hpp"

namespace minnow {

kernels::GemmBackend backend_of(GemmKind kind) {
  switch (kind) {
    case GemmKind::kOpenblas:
      return kernels::GemmBackend::kOpenblas;
    case GemmKind::kMinnow:
      return kernels::GemmBackend::kMinnow;
    case GemmKind::kOnednn:
      return kernels::GemmBackend::kOnednn;
    case GemmKind::kAuto:
      break;
  }
  return kernels::best_gemm_backend();
}

kernels::GemmPrecision precision_of(PrecisionKind kind) {
  return kind == PrecisionKind::kBf16 ? kernels::GemmPrecision::kBf16 : kernels::GemmPrecision::kF32;
}

void apply_compute(const ComputeConfig& compute, LanguageModel& model) {
  kernels::set_gemm_backend(backend_of(compute.gemm));
  model.set_precision(precision_of(compute.precision));
}

}  // namespace minnow
