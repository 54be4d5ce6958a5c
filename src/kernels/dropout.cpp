#include "minnow/kernels/dropout.hpp"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dropout.cpp"
#include "hwy/foreach_target.h"
#include "kernels/simd.hpp"
// clang-format on
#include "kernels/random_bits.hpp"
#include "kernels/reference/dropout.hpp"

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

// y = residual + x keep factor, where bits[i] >= limit keeps; `none` keeps nothing. residual may be null.
void apply_mask(float* y, const float* x, const float* residual, const std::uint32_t* bits, Index n, float factor,
                std::uint32_t limit, bool none) {
  const DU du;
  const V factor_v = set(factor);
  const auto limit_v = hn::Set(du, limit);
  for_vectors(n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
    // The bits may be read past n: their buffer is longer.
    const auto drop = hn::RebindMask(D(), hn::Lt(hn::LoadU(du, bits + i), limit_v));
    const V kept = hn::IfThenZeroElse(drop, hn::Mul(load(x + i, count), factor_v));
    V value = none ? hn::Zero(D()) : kept;
    if (residual != nullptr) value = hn::Add(load(residual + i, count), value);
    store(value, y + i, count);
  });
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace minnow::kernels {

HWY_EXPORT(apply_mask);

namespace {

constexpr Index kChunk = 8192;      // elements, a multiple of 4: only the first and last blocks of all are cut
constexpr Index kBits = 1024;       // words drawn at a time: 4 KB, stays in the first cache
constexpr Index kVectorSlack = 16;  // the longest vector of words, read past the end

void serial(float* y, const float* x, const float* residual, Index n, double p, const RandomKey& key,
            std::uint64_t first) {
  const std::uint64_t threshold = drop_threshold(p);
  const bool none = threshold > 0xFFFFFFFFU;  // p rounds to 1
  const float factor = static_cast<float>(1 / (1 - p));
  std::uint32_t bits[kBits + kVectorSlack] = {};
  for (Index i = 0; i < n; i += kBits) {
    const Index count = std::min(kBits, n - i);
    fill_random_bits(key, first + static_cast<std::uint64_t>(i), static_cast<size_t>(count), bits);
    HWY_DYNAMIC_DISPATCH(apply_mask)
    (y + i, x + i, residual != nullptr ? residual + i : nullptr, bits, count, factor,
     static_cast<std::uint32_t>(threshold), none);
  }
}
void serial(double* y, const double* x, const double* residual, Index n, double p, const RandomKey& key,
            std::uint64_t first) {
  reference::dropout(y, x, residual, n, p, key, first);
}

}  // namespace

template <class T>
void dropout(T* y, const T* x, const T* residual, Index n, double p, const RandomKey& key,
             std::uint64_t first_element) {
  parallel_ranges(n, kChunk, [&](Index begin, Index end, Index) {
    serial(y + begin, x + begin, residual != nullptr ? residual + begin : nullptr, end - begin, p, key,
           first_element + static_cast<std::uint64_t>(begin));
  });
}

template <class T>
void dropout_add(T* y, const T* x, Index n, double p, const RandomKey& key, std::uint64_t first_element) {
  dropout<T>(y, x, y, n, p, key, first_element);
}

template void dropout<float>(float*, const float*, const float*, Index, double, const RandomKey&, std::uint64_t);
template void dropout<double>(double*, const double*, const double*, Index, double, const RandomKey&, std::uint64_t);
template void dropout_add<float>(float*, const float*, Index, double, const RandomKey&, std::uint64_t);
template void dropout_add<double>(double*, const double*, Index, double, const RandomKey&, std::uint64_t);

}  // namespace minnow::kernels
#endif  // HWY_ONCE
