#include "minnow/optim/flat.hpp"

#include <algorithm>
#include <cmath>

#include "minnow/kernels/optimizer.hpp"

namespace minnow {
namespace {

template <class T>
double absolute_sum(const T* x, Index n, double* slots) {
  parallel_ranges(n, kernels::kFlatChunk, [&](Index begin, Index end, Index chunk) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) sum += std::abs(static_cast<double>(x[i]));
    slots[chunk] = sum;
  });
  double total = 0;
  for (Index chunk = 0; chunk < kernels::flat_chunks(n); ++chunk) total += slots[chunk];
  return total;
}

template <class T>
double part(const Tensor& flat, NormKind kind) {
  const Index n = flat.numel();
  const T* x = flat.data<T>();
  if (kind == NormKind::kInf) {
    Tensor scratch = Tensor::empty({kernels::flat_chunks(n)}, dtype_of<T>);
    return static_cast<double>(kernels::max_abs(x, n, scratch.mutable_data<T>()));
  }
  Tensor scratch = Tensor::empty({kernels::flat_chunks(n)}, DType::f64);
  auto* slots = scratch.mutable_data<double>();
  return kind == NormKind::kTwo ? kernels::sum_of_squares(x, n, slots) : absolute_sum(x, n, slots);
}

}  // namespace

double global_norm(std::span<const Tensor> flat, NormKind kind) {
  double total = 0;
  for (const Tensor& one : flat) {
    const double value = one.dtype() == DType::f64 ? part<double>(one, kind) : part<float>(one, kind);
    if (kind == NormKind::kInf) {
      total = value > total || std::isnan(value) ? value : total;
    } else {
      total += value;
    }
  }
  return kind == NormKind::kTwo ? std::sqrt(total) : total;
}

double clip_factor(double norm, double max_norm) {
  constexpr double kSmall = 1e-6;
  return std::min(1.0, max_norm / (norm + kSmall));
}

double clip_gradients(std::span<Tensor> flat, double max_norm, NormKind kind) {
  const double norm = global_norm(flat, kind);
  const double factor = clip_factor(norm, max_norm);
  if (!std::isfinite(norm) || factor >= 1) return norm;
  for (Tensor& one : flat) {
    if (one.dtype() == DType::f64) {
      kernels::scale(one.mutable_data<double>(), factor, one.numel());
    } else {
      kernels::scale(one.mutable_data<float>(), static_cast<float>(factor), one.numel());
    }
  }
  return norm;
}

}  // namespace minnow
