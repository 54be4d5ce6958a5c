#include "kernels/tile_product.hpp"

#include <atomic>
#include <vector>

#include "kernels/avx512_gemm.hpp"
#include "kernels/gemm_blas.hpp"
#include "minnow/base/error.hpp"
#include "minnow/kernels/convert.hpp"

namespace minnow::kernels {
namespace {

std::atomic<GemmBackend>& chosen_backend() {
  static std::atomic<GemmBackend> backend{best_gemm_backend()};
  return backend;
}

bool is_ours(GemmPrecision precision) { return gemm_backend() == GemmBackend::kMinnow && has_avx512_gemm(precision); }

/// @return the operand's stored rows, each element rounded to bf16, one behind the other.
const float* rounded(const float* from, Index rows, Index cols, Index ld, std::vector<float>& to) {
  to.resize(static_cast<std::size_t>(rows * cols));
  for (Index row = 0; row < rows; ++row) round_to_bf16(to.data() + row * cols, from + row * ld, cols);
  return to.data();
}

/// bf16 where no instruction does it: products of two bf16 numbers are exact in f32.
void multiply_rounded(TileProduct<float> x) {
  thread_local std::vector<float> a;
  thread_local std::vector<float> b;
  x.a = x.trans_a ? rounded(x.a, x.k, x.m, x.lda, a) : rounded(x.a, x.m, x.k, x.lda, a);
  x.lda = x.trans_a ? x.m : x.k;
  x.b = x.trans_b ? rounded(x.b, x.n, x.k, x.ldb, b) : rounded(x.b, x.k, x.n, x.ldb, b);
  x.ldb = x.trans_b ? x.k : x.n;
  x.precision = GemmPrecision::kF32;
  multiply(x);
}

}  // namespace

GemmBackend best_gemm_backend() {
  return has_avx512_gemm(GemmPrecision::kF32) ? GemmBackend::kMinnow : GemmBackend::kOpenblas;
}

void set_gemm_backend(GemmBackend backend) {
  if (backend == GemmBackend::kMinnow && !has_avx512_gemm(GemmPrecision::kF32)) {
    throw ConfigError(
        "[gemm] products by minnow's own code must have a processor with AVX-512; this one has none. Hint: "
        "compute.gemm = \"auto\" takes OpenBLAS there");
  }
  chosen_backend().store(backend, std::memory_order_relaxed);
}

GemmBackend gemm_backend() { return chosen_backend().load(std::memory_order_relaxed); }

const char* gemm_name(GemmBackend backend) { return backend == GemmBackend::kMinnow ? "minnow" : "openblas"; }

bool has_native_bf16() { return is_ours(GemmPrecision::kBf16); }

template <>
bool multiplies_by_itself<float>() {
  return gemm_backend() == GemmBackend::kMinnow;
}
template <>
bool multiplies_by_itself<double>() {
  return false;
}

void multiply(const TileProduct<float>& product) {
  if (is_ours(product.precision)) {
    multiply_avx512(product);
  } else if (product.precision == GemmPrecision::kBf16) {
    multiply_rounded(product);
  } else {
    multiply_blas(product);
  }
}

void multiply(const TileProduct<double>& product) { multiply_blas(product); }

}  // namespace minnow::kernels
