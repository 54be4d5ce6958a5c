#pragma once
/// @file
/// Plain form of dropout.hpp: the specification of the vector code, and what f64 runs.

#include "minnow/base/parallel.hpp"
#include "minnow/base/philox.hpp"

namespace minnow::kernels::reference {

// y = residual + x keep / (1 - p); residual may be null or y itself.
template <class T>
void dropout(T* y, const T* x, const T* residual, Index n, double p, const RandomKey& key, std::uint64_t first) {
  const std::uint64_t threshold = drop_threshold(p);
  const T factor = static_cast<T>(1 / (1 - p));
  for (Index i = 0; i < n; ++i) {
    const bool drop = random_bits(key, first + static_cast<std::uint64_t>(i)) < threshold;
    const T value = drop ? T(0) : x[i] * factor;
    y[i] = residual != nullptr ? residual[i] + value : value;
  }
}

}  // namespace minnow::kernels::reference
