// Box-Muller in vector code, compiled once per instruction set, with the bits of the scalar form in base/philox.hpp:
// what is computed here is a little off, so each number is rounded to f32 a little below and above. Where both agree,
// and they do but for one in hundreds of thousands, the scalar form rounds to the same; elsewhere it is asked. Source:
// Ziv 1991, Fast Evaluation of Elementary Mathematical Functions with Correctly Rounded Last Bit.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/random_normal.cpp"  // NOLINT(bugprone-suspicious-include)
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include <bit>
#include <cmath>
#include <numbers>

#include "hwy/highway.h"
#include "kernels/random_bits.hpp"
#include "kernels/random_normal.hpp"

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using DN = hn::CappedTag<double, 8>;
using DNU = hn::RebindToUnsigned<DN>;
using DNI = hn::RebindToSigned<DN>;
using DNF = hn::Rebind<float, DN>;
using VN = hn::Vec<DN>;
using VNU = hn::Vec<DNU>;

constexpr std::size_t kPairLanes = hn::MaxLanes(DN());
constexpr std::size_t kPairs = 64;  // pairs of numbers computed from one batch of words; whole vectors

// All errors together, of this form and of the scalar one, relative to std * radius: a dozen roundings of 2^-53 each,
// and the scalar form's angle, which is off by up to 2^-50 before its cosine is taken.
constexpr double kSlack = 0x1p-46;
constexpr double kLeast = 1e-300;  // so that zeros, whose signs may differ, do not agree

HWY_INLINE VN number(double value) { return hn::Set(DN(), value); }

// The sum of factors[i] x^i.
template <std::size_t kCount>
HWY_INLINE VN polynomial(VN x, const double (&factors)[kCount]) {
  VN sum = number(factors[kCount - 1]);
  for (std::size_t i = kCount - 1; i-- > 0;) sum = hn::MulAdd(sum, x, number(factors[i]));
  return sum;
}

// Whole numbers below 2^32 in lanes of 64 bits.
HWY_INLINE VN from_unsigned(VNU x) {
  const VNU magic = hn::Set(DNU(), std::bit_cast<std::uint64_t>(0x1p52));
  return hn::Sub(hn::BitCast(DN(), hn::Or(x, magic)), number(0x1p52));
}

// Whole numbers of either sign, small.
HWY_INLINE VN from_signed(VNU x) {
  const VNU magic = hn::Set(DNU(), std::bit_cast<std::uint64_t>(0x1.8p52));
  return hn::Sub(hn::BitCast(DN(), hn::Add(x, magic)), number(0x1.8p52));
}

// The natural logarithm of x in (0, 1]: x = 2^e m with m from sqrt(1/2) to sqrt(2), ln m = 2 artanh((m - 1) / (m + 1)).
HWY_INLINE VN logarithm(VN x) {
  const DNU du;
  const VNU bits = hn::BitCast(du, x);
  const VNU below = hn::Sub(bits, hn::Set(du, std::bit_cast<std::uint64_t>(std::numbers::sqrt2 / 2)));
  const VNU exponent = hn::BitCast(du, hn::ShiftRight<52>(hn::BitCast(DNI(), below)));
  const VN m = hn::BitCast(DN(), hn::Sub(bits, hn::ShiftLeft<52>(exponent)));
  const VN s = hn::Div(hn::Sub(m, number(1)), hn::Add(m, number(1)));
  const VN series = polynomial(hn::Mul(s, s), {2.0, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15,
                                               2.0 / 17, 2.0 / 19, 2.0 / 21});
  return hn::MulAdd(from_signed(exponent), number(std::numbers::ln2), hn::Mul(s, series));
}

struct SineCosine {
  VN sine, cosine;
};

// Of 2 pi word / 2^32: by the nearest quarter turn, and Taylor's series of what is left, at most an eighth of a turn.
HWY_INLINE SineCosine sine_cosine(VNU word) {
  const DNU du;
  const VNU quarter = hn::ShiftRight<30>(hn::Add(word, hn::Set(du, std::uint64_t{1} << 29)));
  const VN rest = hn::Mul(from_signed(hn::Sub(word, hn::ShiftLeft<30>(quarter))), number(std::numbers::pi * 0x1p-31));
  const VN square = hn::Mul(rest, rest);
  const VN sine =
      hn::Mul(rest, polynomial(square, {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800,
                                        1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000}));
  const VN cosine =
      polynomial(square, {1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600,
                          -1.0 / 87178291200, 1.0 / 20922789888000, -1.0 / 6402373705728000});
  const VNU one = hn::Set(du, 1), two = hn::Set(du, 2);
  const auto odd = hn::RebindMask(DN(), hn::Eq(hn::And(quarter, one), one));
  const VNU sine_sign = hn::ShiftLeft<62>(hn::And(quarter, two));
  const VNU cosine_sign = hn::ShiftLeft<62>(hn::And(hn::Add(quarter, one), two));
  return {hn::Xor(hn::IfThenElse(odd, cosine, sine), hn::BitCast(DN(), sine_sign)),
          hn::Xor(hn::IfThenElse(odd, sine, cosine), hn::BitCast(DN(), cosine_sign))};
}

// Numbers of kPairs pairs of words, rounded from a little below and from a little above.
HWY_INLINE void fill_batch(const std::uint32_t* words, double std, float* low, float* high) {
  const DNU du;
  for (std::size_t i = 0; i < kPairs; i += kPairLanes) {
    // Two words lie in one lane, the first one in its low half (little endian).
    const VNU both = hn::LoadU(du, reinterpret_cast<const std::uint64_t*>(words + 2 * i));
    const VN first = from_unsigned(hn::And(both, hn::Set(du, 0xFFFFFFFF)));
    const VN uniform = hn::Mul(hn::Add(first, number(1)), number(0x1p-32));
    const VN radius = hn::Mul(number(std), hn::Sqrt(hn::Mul(number(-2), logarithm(uniform))));
    const SineCosine at = sine_cosine(hn::ShiftRight<32>(both));
    const VN slack = hn::MulAdd(radius, number(kSlack), number(kLeast));
    const VN even = hn::Mul(radius, at.cosine), odd = hn::Mul(radius, at.sine);
    const DNF df;
    hn::StoreInterleaved2(hn::DemoteTo(df, hn::Sub(even, slack)), hn::DemoteTo(df, hn::Sub(odd, slack)), df,
                          low + 2 * i);
    hn::StoreInterleaved2(hn::DemoteTo(df, hn::Add(even, slack)), hn::DemoteTo(df, hn::Add(odd, slack)), df,
                          high + 2 * i);
  }
}

// `first` even, `count` a multiple of 2 kPairs.
void fill_normal(const RandomKey& key, std::uint64_t first, std::size_t count, double std, float* out) {
  HWY_ALIGN std::uint32_t words[2 * kPairs];
  HWY_ALIGN float high[2 * kPairs];
  for (std::size_t done = 0; done < count; done += 2 * kPairs) {
    float* low = out + done;
    fill_random_bits(key, first + done, 2 * kPairs, words);
    fill_batch(words, std, low, high);
    for (std::size_t i = 0; i < 2 * kPairs; ++i) {
      if (std::bit_cast<std::uint32_t>(low[i]) != std::bit_cast<std::uint32_t>(high[i]))
        low[i] = static_cast<float>(std * random_normal(key, first + done + i));
    }
  }
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace minnow::kernels {
namespace {

constexpr std::size_t kNormalBatch = 128;             // 2 kPairs
constexpr double kLeastStd = 1e-30, kMostStd = 1e30;  // for others the rounding to f32 is no matter of 24 bits

}  // namespace

HWY_EXPORT(fill_normal);

void fill_random_normal(const RandomKey& key, std::uint64_t first, std::size_t count, double std, float* out) {
  std::size_t done = 0;
  const auto one = [&] { out[done] = static_cast<float>(std * random_normal(key, first + done)), ++done; };
  if (std > kLeastStd && std < kMostStd) {
    if (count > 0 && first % 2 != 0) one();
    const std::size_t whole = (count - done) / kNormalBatch * kNormalBatch;
    HWY_DYNAMIC_DISPATCH(fill_normal)(key, first + done, whole, std, out + done);
    done += whole;
  }
  while (done < count) one();
}

}  // namespace minnow::kernels
#endif
