#include "kernels/tile_product.hpp"

#include <atomic>

#include "kernels/avx512_gemm.hpp"
#include "kernels/gemm_blas.hpp"
#include "kernels/gemm_epilogue.hpp"
#include "kernels/gemm_onednn.hpp"
#include "kernels/rounded_factors.hpp"
#include "minnow/base/error.hpp"
#include "minnow/kernels/packed_matrix.hpp"

namespace minnow::kernels {
namespace {

std::atomic<GemmBackend>& chosen_backend() {
  static std::atomic<GemmBackend> backend{best_gemm_backend()};
  return backend;
}

/// Whether the backend itself takes this precision.
bool takes(GemmBackend backend, GemmPrecision precision) {
  switch (backend) {
    case GemmBackend::kMinnow:
      return has_avx512_gemm(precision);
    case GemmBackend::kOnednn:
      return precision == GemmPrecision::kF32 || onednn_ability().bf16;
    case GemmBackend::kOpenblas:
      break;
  }
  return precision == GemmPrecision::kF32;
}

template <class T>
void finish(const TileProduct<T>& x) {
  if (!x.epilogue.empty()) finish_part(x.epilogue, x.c, x.ldc, {0, 0, x.m, x.n});
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
  if (backend == GemmBackend::kOnednn && !onednn_ability().usable) throw ConfigError(onednn_ability().refusal);
  chosen_backend().store(backend, std::memory_order_relaxed);
}

GemmBackend gemm_backend() { return chosen_backend().load(std::memory_order_relaxed); }

std::vector<GemmBackend> gemm_backends() {
  std::vector<GemmBackend> found{GemmBackend::kOpenblas};
  if (has_avx512_gemm(GemmPrecision::kF32)) found.insert(found.begin(), GemmBackend::kMinnow);
  if (onednn_ability().usable) found.push_back(GemmBackend::kOnednn);
  return found;
}

const char* gemm_name(GemmBackend backend) {
  switch (backend) {
    case GemmBackend::kMinnow:
      return "minnow";
    case GemmBackend::kOnednn:
      return "onednn";
    case GemmBackend::kOpenblas:
      break;
  }
  return "openblas";
}

std::string onednn_description() { return onednn_ability().description; }

bool has_native_bf16(GemmBackend backend) { return takes(backend, GemmPrecision::kBf16); }

std::size_t rounding_bytes(GemmBackend backend, GemmPrecision precision, Index largest) {
  const bool native = has_native_bf16(backend);
  if (precision == GemmPrecision::kF32 || (native && backend == GemmBackend::kMinnow)) return 0;
  return native ? sizeof(std::uint16_t) * most_in_panels(kBf16Sum, largest)
                : sizeof(float) * most_in_panels(kRoundedSum, largest);
}

Index strip_lanes(GemmPrecision precision, Index k, Index n) {
  if (gemm_backend() != GemmBackend::kMinnow || !takes(GemmBackend::kMinnow, precision)) return 0;
  const Index lanes = precision == GemmPrecision::kBf16 ? (k + 1) / 2 : k;
  if (lanes > PackedMatrix::kBlock) return 0;
  return lanes * ((n + PackedMatrix::kStrip - 1) / PackedMatrix::kStrip * PackedMatrix::kStrip);
}

PackedStrips pack_strips(const TileProduct<float>& product, std::uint32_t* to) {
  pack_strips_avx512(product, to);
  return {to, product.precision == GemmPrecision::kBf16 ? (product.k + 1) / 2 : product.k};
}

void multiply_rounded(const TileProduct<float>& product) {
  RoundedFactors<float>& rounded = RoundedFactors<float>::of_thread();
  for_each_panel(product, kRoundedSum, [&](TileProduct<float> panel, bool b_is_new) {
    rounded.take(panel, b_is_new);
    panel.a = rounded.a();
    panel.lda = rounded.lda();
    panel.b = rounded.b();
    panel.ldb = rounded.ldb();
    panel.precision = GemmPrecision::kF32;
    multiply(panel);
  });
}

void multiply(const TileProduct<float>& product) {
  const GemmBackend backend = gemm_backend();
  const bool takes_it = takes(backend, product.precision);
  if (takes_it && backend == GemmBackend::kMinnow) return multiply_avx512(product);  // the epilogue too
  TileProduct<float> plain = product;
  plain.epilogue = {};
  if (!takes_it) {
    multiply_rounded(plain);
  } else if (backend == GemmBackend::kOnednn) {
    multiply_onednn(plain);
  } else {
    multiply_blas(plain);
  }
  finish(product);
}

void multiply(const TileProduct<double>& product) {
  multiply_blas(product);
  finish(product);
}

}  // namespace minnow::kernels
