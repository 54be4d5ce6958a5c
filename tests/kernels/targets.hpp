#pragma once
/// @file
/// Runs a check on every instruction set of this processor, and makes arrays at awkward addresses.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "hwy/targets.h"
#include "minnow/base/parallel.hpp"

namespace minnow::test {

/// Calls check() once per instruction set that the kernels were compiled for and this processor has.
template <class Check>
void for_each_target(Check&& check) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    SCOPED_TRACE(hwy::TargetName(target));
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
}

/// Calls check(target is one with fused multiply-add and full vectors) as for_each_target; see the equal-bits tests.
inline std::vector<std::int64_t> wide_targets() {
  std::vector<std::int64_t> wide;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (target == HWY_AVX3 || target == HWY_AVX2) wide.push_back(target);
  }
  return wide;
}

/// Lengths around the vector widths 4, 8 and 16.
inline const std::vector<Index> kLengths = {0,  1,  2,  3,  4,  5,  7,  8,  9,  12, 15, 16, 17,
                                            23, 24, 25, 31, 32, 33, 47, 48, 49, 63, 64, 65, 100};

/// Array of n elements that starts `offset` elements past an aligned address, between guards that must stay untouched.
template <class T>
class Guarded {
 public:
  explicit Guarded(Index n, Index offset = 1) : size_(n), offset_(offset), data_(static_cast<size_t>(n + 64), kGuard) {}
  ~Guarded() {
    for (Index i = 0; i < 32 + offset_; ++i) EXPECT_EQ(at(i), kGuard) << "written before the array";
    for (Index i = 32 + offset_ + size_; i < size_ + 64; ++i) EXPECT_EQ(at(i), kGuard) << "written past the array";
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  T* data() { return data_.data() + 32 + offset_; }
  T& operator[](Index i) { return data()[i]; }
  [[nodiscard]] Index size() const { return size_; }

 private:
  T at(Index i) const { return data_[static_cast<size_t>(i)]; }
  static constexpr T kGuard = static_cast<T>(12345);
  Index size_;
  Index offset_;
  std::vector<T> data_;
};

/// Repeatable numbers in [low, high).
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}
  double next(double low, double high) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return low + (high - low) * static_cast<double>(state_ >> 11U) * 0x1p-53;
  }
  template <class T>
  std::vector<T> array(Index n, double low, double high) {
    std::vector<T> result(static_cast<size_t>(n));
    for (T& value : result) value = static_cast<T>(next(low, high));
    return result;
  }

 private:
  std::uint64_t state_;
};

/// @return |got - want| in units of the last place of a float near `want` (denormals: of the smallest float).
inline double ulp_error(float got, double want) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want) ? 0 : 1e30;
  const auto nearest = static_cast<float>(want);
  if (std::isinf(got) || std::isinf(nearest)) {
    const float largest = std::numeric_limits<float>::max();
    if (got == nearest) return 0;
    return std::fabs(std::isinf(got) ? nearest : got) == largest ? 1 : 1e30;
  }
  const int exponent = std::max(std::ilogb(std::fabs(want) > 0 ? want : 1e-45), -126);
  return std::fabs(static_cast<double>(got) - want) / std::ldexp(1.0, exponent - 23);
}

/// Bytewise equality of two arrays.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Runs `compute` (which returns a vector) at 1, 2, 3 and 7 threads and again; all results must have the same bits.
template <class Compute>
void expect_same_bits_at_any_thread_count(Compute&& compute) {
  const int before = threads();
  set_threads(1);
  const auto first = compute();
  for (const int count : {1, 2, 3, 7}) {
    set_threads(count);
    EXPECT_TRUE(same_bits(first, compute())) << count << " threads";
  }
  set_threads(before);
}

}  // namespace minnow::test
