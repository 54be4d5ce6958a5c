#include <cmath>
#include <numbers>

#include "minnow/kernels/gemm.hpp"

namespace minnow::kernels {
namespace {

double activate(Activation kind, double z) {
  switch (kind) {
    case Activation::kRelu:
      return z < 0 ? 0 : z;
    case Activation::kGeluTanh:
      return z / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (z + 0.044715 * z * z * z)));
    case Activation::kGeluErf:
      return z / 2 * (1 + std::erf(z / std::numbers::sqrt2));
    case Activation::kSilu:
      return z / (1 + std::exp(-z));
  }
  return z;
}

double logistic(double z) { return 1 / (1 + std::exp(-z)); }

double slope_of(Activation kind, double z) {
  constexpr double kInner = 2 * 0.79788456080286535588;  // 2 sqrt(2 / pi)
  const double s = kind == Activation::kSilu ? logistic(z) : logistic(kInner * (z + 0.044715 * z * z * z));
  switch (kind) {
    case Activation::kRelu:
      return z <= 0 ? 0 : 1;
    case Activation::kGeluTanh:
      return s + z * s * (1 - s) * kInner * (1 + 3 * 0.044715 * z * z);
    case Activation::kGeluErf:
      return (1 + std::erf(z / std::numbers::sqrt2)) / 2 + z * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    case Activation::kSilu:
      return s + z * s * (1 - s);
  }
  return 1;
}

}  // namespace

template <class T>
void gemm_reference(const GemmArgs<T>& x) {
  const GemmEpilogue<T>& e = x.epilogue;
  for (Index i = 0; i < x.m; ++i)
    for (Index j = 0; j < x.n; ++j) {
      double sum = 0;
      for (Index p = 0; p < x.k; ++p)
        sum += static_cast<double>(x.a[x.trans_a ? p * x.lda + i : i * x.lda + p]) *
               static_cast<double>(x.b[x.trans_b ? j * x.ldb + p : p * x.ldb + j]);
      sum *= static_cast<double>(x.alpha);
      T& c = x.c[i * x.ldc + j];
      if (x.add) sum += static_cast<double>(c);
      if (e.bias != nullptr) sum += static_cast<double>(e.bias[j]);
      T z = static_cast<T>(sum);
      if (e.slope != nullptr)
        e.slope[i * e.ld_slope + j] =
            static_cast<T>(e.activation ? slope_of(*e.activation, static_cast<double>(z)) : 1);
      if (e.activation) z = static_cast<T>(activate(*e.activation, static_cast<double>(z)));
      if (e.residual != nullptr) z += e.residual[i * e.ld_residual + j];
      c = z;
    }
}

template void gemm_reference<float>(const GemmArgs<float>&);
template void gemm_reference<double>(const GemmArgs<double>&);

}  // namespace minnow::kernels
