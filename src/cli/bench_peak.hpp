#pragma once
/// @file
/// What the threads in use can do at most, as far as a program can find out in a fraction of a second.

#include "minnow/kernels/gemm.hpp"

namespace minnow::cli {

/// The fastest product found.
struct ProductPeak {
  double gflops = 0;
  kernels::GemmBackend backend = kernels::GemmBackend::kOpenblas;
};

/// @return the best rate of kernels::gemm over a few comfortable shapes, several calls and every backend: not the
/// processor's arithmetic limit, but what a product can reach with this library.
ProductPeak product_peak(kernels::GemmPrecision precision);

/// Bytes per second / 1e9, best of several passes over buffers much larger than the caches.
struct MemoryPeak {
  double read = 0;  ///< searching a buffer for a byte that is not in it
  double copy = 0;  ///< from one into another, bytes read plus bytes written
};

MemoryPeak memory_peak();

}  // namespace minnow::cli
