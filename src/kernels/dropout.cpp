#include "minnow/kernels/dropout.hpp"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dropout.cpp"
#include "hwy/foreach_target.h"
#include "kernels/simd.hpp"
// clang-format on
#include "kernels/reference/dropout.hpp"

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

// Random words of kLanes consecutive Philox blocks, in element order.
inline constexpr Index kWords = 4 * kLanes;

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void random_words(const RandomKey& key, std::uint64_t block, std::uint32_t* words) {
  const PhiloxBlock drawn = random_block(key, block);
  for (size_t i = 0; i < 4; ++i) words[i] = drawn[i];
}
#else
using VU = hn::Vec<DU>;
struct Product {
  VU high;
  VU low;
};

// 32 x 32 -> 64 bit products of all lanes, from the products of the even ones and the odd ones.
HWY_INLINE Product multiply(VU a, VU b) {
  const DU du;
  const hn::RepartitionToWide<DU> wide;
  const auto even = hn::MulEven(a, b);
  const auto odd = hn::MulEven(hn::BitCast(du, hn::ShiftRight<32>(hn::BitCast(wide, a))), b);
  return {hn::OddEven(hn::BitCast(du, odd), hn::BitCast(du, hn::ShiftRight<32>(even))),
          hn::OddEven(hn::BitCast(du, hn::ShiftLeft<32>(odd)), hn::BitCast(du, even))};
}

// Philox 4x32-10 on kLanes blocks at once; counter layout, constants and rounds as in minnow/base/philox.hpp.
HWY_INLINE void random_words(const RandomKey& key, std::uint64_t block, std::uint32_t* words) {
  const DU du;
  HWY_ALIGN std::uint32_t low[kParts];
  HWY_ALIGN std::uint32_t high[kParts];
  for (Index i = 0; i < kLanes; ++i) {
    const std::uint64_t b = block + static_cast<std::uint64_t>(i);
    low[i] = static_cast<std::uint32_t>(b);
    high[i] = static_cast<std::uint32_t>((b >> 32U) & 0xFFFFU) | (static_cast<std::uint32_t>(key.step >> 32U) << 16U);
  }
  VU c0 = hn::Load(du, low);
  VU c1 = hn::Load(du, high);
  VU c2 = hn::Set(du, static_cast<std::uint32_t>(key.step));
  VU c3 = hn::Set(du, key.stream);
  const VU multiplier0 = hn::Set(du, 0xD2511F53U);
  const VU multiplier1 = hn::Set(du, 0xCD9E8D57U);
  auto key0 = static_cast<std::uint32_t>(key.seed);
  auto key1 = static_cast<std::uint32_t>(key.seed >> 32U);
  for (int round = 0; round < 10; ++round) {
    const Product p0 = multiply(c0, multiplier0);
    const Product p1 = multiply(c2, multiplier1);
    c0 = hn::Xor(hn::Xor(p1.high, c1), hn::Set(du, key0));
    c2 = hn::Xor(hn::Xor(p0.high, c3), hn::Set(du, key1));
    c1 = p1.low;
    c3 = p0.low;
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  hn::StoreInterleaved4(c0, c1, c2, c3, du, words);
}
#endif

// p < 1. The first and the last few elements may lie inside a block.
void dropout_array(float* y, const float* x, const float* residual, Index n, double p, const RandomKey& key,
                   std::uint64_t first) {
  const DU du;
  HWY_ALIGN std::uint32_t words[kWords + kParts] = {};
  // A threshold above 32 bits means p rounds to 1: then nothing is kept.
  const std::uint64_t threshold = drop_threshold(p);
  const bool none = threshold > 0xFFFFFFFFU;
  const auto limit = hn::Set(du, static_cast<std::uint32_t>(threshold));
  const V factor = set(static_cast<float>(1 / (1 - p)));
  auto skip = static_cast<Index>(first % 4);
  std::uint64_t block = first / 4;
  for (Index i = 0; i < n;) {
    random_words(key, block, words);
    const Index here = std::min(n - i, kWords - skip);
    for (Index at = 0; at < here; at += kLanes) {
      const Index count = std::min(kLanes, here - at);
      const auto drop = hn::RebindMask(D(), hn::Lt(hn::LoadU(du, words + skip + at), limit));
      const V kept = hn::IfThenZeroElse(drop, hn::Mul(load(x + i + at, count), factor));
      V value = none ? hn::Zero(D()) : kept;
      if (residual != nullptr) value = hn::Add(load(residual + i + at, count), value);
      store(value, y + i + at, count);
    }
    i += here;
    block += static_cast<std::uint64_t>(kLanes);
    skip = 0;
  }
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace minnow::kernels {

HWY_EXPORT(dropout_array);

namespace {

constexpr Index kChunk = 8192;  // elements; a multiple of 4, so that only the first and last blocks are cut

void serial(float* y, const float* x, const float* residual, Index n, double p, const RandomKey& key,
            std::uint64_t first) {
  HWY_DYNAMIC_DISPATCH(dropout_array)(y, x, residual, n, p, key, first);
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
