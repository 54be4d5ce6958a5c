#pragma once
/// @file
/// What the threads in use can do at most, as far as a program can find out in a fraction of a second.

#include <functional>
#include <span>

#include "minnow/kernels/gemm.hpp"

namespace minnow {

/// The fastest product found.
struct ProductPeak {
  double gflops = 0;
  kernels::GemmBackend backend = kernels::GemmBackend::kOpenblas;
};

/// @param stop asked between calls; true ends the measurement early
/// @return the best rate of kernels::gemm over a few comfortable shapes, several calls and every backend: not the
/// processor's arithmetic limit, but what a product can reach with this library.
[[nodiscard]] ProductPeak product_peak(kernels::GemmPrecision precision, const std::function<bool()>& stop = {});

/// Bytes per second / 1e9, best of several passes.
struct MemoryPeak {
  double read = 0;   ///< searching a buffer much larger than the caches for a byte that is not in it
  double copy = 0;   ///< from one such buffer into another, bytes read plus bytes written
  double cache = 0;  ///< as `copy`, buffers that fit the second cache of each thread
};

[[nodiscard]] MemoryPeak memory_peak(const std::function<bool()>& stop = {});

/// The bounds that the machine sets to an operation.
struct MachineRoof {
  double gflops = 0;           ///< of matrix products
  double memory_gb_per_s = 0;  ///< of data that come from memory
  double cache_gb_per_s = 0;   ///< of data that a cache holds
  double cache_bytes = 0;      ///< of the last cache: a call that touches less may find all of it there

  /// @return seconds that one call takes at least.
  [[nodiscard]] double least_seconds(double flops, double bytes) const;
  /// @return what bounds such a call: "products", "cache" or "memory"; empty for a call without work.
  [[nodiscard]] const char* bound(double flops, double bytes) const;
};

/// Takes about a second.
[[nodiscard]] MachineRoof measure_roof(kernels::GemmPrecision precision, const std::function<bool()>& stop = {});

/// Fills with different numbers of [-0.5, 0.5): equal ones would cost less electricity than real ones, so clocks would
/// be higher.
void fill_varied(std::span<float> numbers);

}  // namespace minnow
