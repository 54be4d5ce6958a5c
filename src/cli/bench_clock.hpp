#pragma once
/// @file
/// Small things that all measurements of `minnow bench` share.

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "minnow/kernels/gemm.hpp"

namespace minnow::cli {

/// @return seconds that a call of `work` takes.
template <class Work>
double seconds_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// @return the middle one of the values, the upper of the two of an even number.
inline double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// @return the value rounded to 1 / parts.
inline double rounded(double value, double parts) { return std::round(value * parts) / parts; }

/// @return the most memory that this process has held so far, in MiB.
inline std::int64_t peak_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;  // kilobytes on Linux
}

/// Fills with different numbers of [-0.5, 0.5): equal ones would cost less electricity than real ones, so clocks would
/// be higher.
inline void fill_varied(std::span<float> numbers) {
  std::uint32_t state = 1;
  for (float& number : numbers) {
    state = state * 1664525U + 1013904223U;  // Numerical Recipes' generator: good enough for that
    number = static_cast<float>(state >> 8U) / static_cast<float>(1U << 24U) - 0.5F;
  }
}

/// @return every backend that this processor can run.
inline std::vector<kernels::GemmBackend> gemm_backends() {
  using kernels::GemmBackend;
  if (kernels::best_gemm_backend() == GemmBackend::kOpenblas) return {GemmBackend::kOpenblas};
  return {GemmBackend::kMinnow, GemmBackend::kOpenblas};
}

}  // namespace minnow::cli
