// Philox 4x32-10 in vector code, compiled once per instruction set. Integers: the bits are the same on all of them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/random_bits.cpp"  // NOLINT(bugprone-suspicious-include)
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include <algorithm>

#include "hwy/highway.h"
#include "kernels/random_bits.hpp"

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using DW = hn::CappedTag<std::uint64_t, 8>;
using VW = hn::Vec<DW>;

constexpr std::size_t kBatch = 16;  // blocks of four words computed side by side
constexpr std::size_t kWords = 4 * kBatch;
constexpr std::size_t kLanes = hn::MaxLanes(DW());

// 32 x 32 -> 64 bits of the low halves of each lane; high halves of the factors do not matter.
HWY_INLINE VW multiply_low(VW a, VW b) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(DW(), (hn::GetLane(a) & 0xFFFFFFFF) * (hn::GetLane(b) & 0xFFFFFFFF));
#else
  const hn::Repartition<std::uint32_t, DW> halves;
  return hn::MulEven(hn::BitCast(halves, a), hn::BitCast(halves, b));
#endif
}

// One counter word per 64-bit lane, in its low half; the high half holds anything until the end.
struct Counters {
  VW c0, c1, c2, c3;
  // Those that the compiler adds itself would lack the instruction set (g++ refuses them on ARM).
  HWY_INLINE Counters() {}  // NOLINT(modernize-use-equals-default): defaulted, it is one of those
  HWY_INLINE Counters(VW w0, VW w1, VW w2, VW w3) : c0(w0), c1(w1), c2(w2), c3(w3) {}
};

HWY_INLINE Counters counters_of(const RandomKey& key, std::uint64_t block) {
  const DW d;
  const VW index = hn::Iota(d, block);
  const VW middle = hn::Or(hn::And(hn::ShiftRight<32>(index), hn::Set(d, 0xFFFF)), hn::Set(d, (key.step >> 32) << 16));
  return {index, middle, hn::Set(d, key.step), hn::Set(d, key.stream)};
}

HWY_INLINE void round_of(Counters& x, VW key0, VW key1) {
  const DW d;
  const VW product0 = multiply_low(x.c0, hn::Set(d, 0xD2511F53));
  const VW product1 = multiply_low(x.c2, hn::Set(d, 0xCD9E8D57));
  x.c0 = hn::Xor3(hn::ShiftRight<32>(product1), x.c1, key0);
  x.c1 = product1;
  x.c2 = hn::Xor3(hn::ShiftRight<32>(product0), x.c3, key1);
  x.c3 = product0;
}

// Two words side by side in one lane, as they lie in memory (little endian).
HWY_INLINE VW join(VW low, VW high) { return hn::Or(hn::And(low, hn::Set(DW(), 0xFFFFFFFF)), hn::ShiftLeft<32>(high)); }

HWY_INLINE void fill_batch(const RandomKey& key, std::uint64_t block, std::uint32_t* out) {
  const DW d;
  constexpr std::size_t kVectors = kBatch / kLanes;
  Counters x[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) x[v] = counters_of(key, block + v * kLanes);
  auto key0 = static_cast<std::uint32_t>(key.seed), key1 = static_cast<std::uint32_t>(key.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    for (std::size_t v = 0; v < kVectors; ++v) round_of(x[v], hn::Set(d, key0), hn::Set(d, key1));
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  for (std::size_t v = 0; v < kVectors; ++v)
    hn::StoreInterleaved2(join(x[v].c0, x[v].c1), join(x[v].c2, x[v].c3), d,
                          reinterpret_cast<std::uint64_t*>(out + 4 * v * kLanes));
}

void fill_bits(const RandomKey& key, std::uint64_t first, std::size_t count, std::uint32_t* out) {
  HWY_ALIGN std::uint32_t words[kWords];
  std::size_t done = 0;
  while (done < count) {
    const std::size_t skip = (first + done) % 4;
    const std::size_t taken = std::min(count - done, kWords - skip);
    if (taken == kWords) {
      fill_batch(key, (first + done) / 4, out + done);
    } else {
      fill_batch(key, (first + done) / 4, words);
      std::copy_n(words + skip, taken, out + done);
    }
    done += taken;
  }
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace minnow::kernels {

HWY_EXPORT(fill_bits);

void fill_random_bits(const RandomKey& key, std::uint64_t first, std::size_t count, std::uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(fill_bits)(key, first, count, out);
}

}  // namespace minnow::kernels
#endif
