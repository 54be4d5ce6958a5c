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
      if (e.pre_activation != nullptr) e.pre_activation[i * e.ld_pre_activation + j] = z;
      if (e.activation) z = static_cast<T>(activate(*e.activation, static_cast<double>(z)));
      if (e.residual != nullptr) z += e.residual[i * e.ld_residual + j];
      c = z;
    }
}

template void gemm_reference<float>(const GemmArgs<float>&);
template void gemm_reference<double>(const GemmArgs<double>&);

}  // namespace minnow::kernels
