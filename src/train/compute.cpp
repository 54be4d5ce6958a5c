#include "minnow/train/compute.hpp"

#include "minnow/kernels/gemm.hpp"

namespace minnow {

void apply_compute(const ComputeConfig& compute, LanguageModel& model) {
  using kernels::GemmBackend;
  kernels::set_gemm_backend(compute.gemm == GemmKind::kAuto       ? kernels::best_gemm_backend()
                            : compute.gemm == GemmKind::kOpenblas ? GemmBackend::kOpenblas
                                                                  : GemmBackend::kMinnow);
  model.set_precision(compute.precision == PrecisionKind::kBf16 ? kernels::GemmPrecision::kBf16
                                                                : kernels::GemmPrecision::kF32);
}

}  // namespace minnow
