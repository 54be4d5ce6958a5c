#include "kernels/gemm_onednn.hpp"

#include <fmt/format.h>

#include "kernels/gemm_blas.hpp"
#include "kernels/onednn_products.hpp"
#include "kernels/product_panels.hpp"
#include "kernels/rounded_factors.hpp"

namespace minnow::kernels {

#ifdef MINNOW_HAS_ONEDNN
namespace {

OnednnProducts& products_of_thread() {
  thread_local OnednnProducts products;
  return products;
}

/// Factors in the type that the product takes them in.
struct Factors {
  bool bf16;
  const void* a;
  Index lda;
  const void* b;
  Index ldb;
};

void scale_rows(const TileProduct<float>& x) {
  for (Index row = 0; row < x.m; ++row) {
    float* const c = x.c + row * x.ldc;
    for (Index i = 0; i < x.n; ++i) c[i] *= x.alpha;
  }
}

/// C = alpha A B + beta C. oneDNN's fast kernels know neither an alpha that differs from call to call nor a beta
/// between 0 and 1: alpha comes in afterwards, with beta from a buffer of the size of a panel.
bool multiply_factors(const TileProduct<float>& x, const Factors& factors) {
  OnednnProducts& products = products_of_thread();
  const bool apart = x.alpha != 1 && x.beta != 0;
  OnednnShape shape{x.trans_a, x.trans_b, factors.bf16, x.beta != 0 && !apart, x.m,
                    x.n,       x.k,       factors.lda,  factors.ldb,           apart ? x.n : x.ldc};
  if (!apart) {
    if (!products.multiply(shape, factors.a, factors.b, x.c)) return false;
    if (x.alpha != 1) scale_rows(x);
    return true;
  }
  thread_local std::vector<float> product;
  product.resize(std::max(product.size(), static_cast<std::size_t>(x.m * x.n)));
  if (!products.multiply(shape, factors.a, factors.b, product.data())) return false;
  for (Index row = 0; row < x.m; ++row) {
    float* const c = x.c + row * x.ldc;
    const float* const from = product.data() + row * x.n;
    for (Index i = 0; i < x.n; ++i) c[i] += x.alpha * from[i];
  }
  return true;
}

void multiply_f32(const TileProduct<float>& x) {
  if (!multiply_factors(x, {false, x.a, x.lda, x.b, x.ldb})) multiply_blas(x);
}

OnednnAbility examine_onednn() {
  OnednnAbility found;
  const OnednnLibrary& dnnl = onednn_library();
  if (dnnl.engine == nullptr) {
    found.refusal = fmt::format(
        "[gemm] compute.gemm = \"onednn\" must find oneDNN when the program runs; {}. Hint: apt-get install libdnnl2, "
        "or "
        "compute.gemm = \"auto\"",
        dnnl.refusal);
    return found;
  }
  constexpr Index kSize = 64;
  OnednnShape shape{false, false, false, false, kSize, kSize, kSize, kSize, kSize, kSize};
  const auto kernel = products_of_thread().kernel_of(shape);
  shape.bf16 = true;
  found.bf16 = products_of_thread().kernel_of(shape).has_value();
  found.usable = kernel.has_value();
  if (!found.usable) {
    found.refusal =
        "[gemm] oneDNN must have a product of matrices for this processor; it has none. Hint: compute.gemm = "
        "\"auto\"";
    return found;
  }
  const dnnl_version_t& version = *dnnl.version();
  found.description = fmt::format("{}.{}.{}, {}", version.major, version.minor, version.patch, *kernel);
  return found;
}

}  // namespace

const OnednnAbility& onednn_ability() {
  static const OnednnAbility kAbility = examine_onednn();
  return kAbility;
}

void multiply_onednn(const TileProduct<float>& product) {
  constexpr Index kMostSum = kBf16Sum;
  if (product.precision == GemmPrecision::kBf16) {
    RoundedFactors<std::uint16_t>& rounded = RoundedFactors<std::uint16_t>::of_thread();
    for_each_panel(product, kMostSum, [&](const TileProduct<float>& panel, bool b_is_new) {
      rounded.take(panel, b_is_new);
      const Factors factors{true, rounded.a(), rounded.lda(), rounded.b(), rounded.ldb()};
      if (!multiply_factors(panel, factors)) multiply_rounded(panel);
    });
  } else if (product.alpha != 1 && product.beta != 0) {
    for_each_panel(product, 0, [](const TileProduct<float>& panel, bool) { multiply_f32(panel); });
  } else {
    multiply_f32(product);
  }
}

#else

const OnednnAbility& onednn_ability() {
  static const OnednnAbility kAbility = [] {
    OnednnAbility none;
    none.refusal =
        "[gemm] compute.gemm = \"onednn\" must have been built in; this program was built without oneDNN. Hint: build "
        "it "
        "with libdnnl-dev installed (-DMINNOW_ONEDNN=ON), or compute.gemm = \"auto\"";
    return none;
  }();
  return kAbility;
}

void multiply_onednn(const TileProduct<float>& product) { multiply_blas(product); }  // nobody can choose it

#endif

}  // namespace minnow::kernels
