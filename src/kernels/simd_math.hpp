// Exponential, logarithm and trigonometric functions on vectors, compiled once per instruction set: include after
// hwy/foreach_target.h. NaN passes through all of them. Polynomials are our own interpolations at Chebyshev nodes; the
// error of each fit stands beside it.
#if defined(MINNOW_KERNELS_SIMD_MATH_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MINNOW_KERNELS_SIMD_MATH_HPP
#undef MINNOW_KERNELS_SIMD_MATH_HPP
#else
#define MINNOW_KERNELS_SIMD_MATH_HPP
#endif

#include <cmath>

#include "kernels/simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

// Horner's rule, highest coefficient first.
HWY_INLINE V poly_step(V, V sum) { return sum; }
template <class... Rest>
HWY_INLINE V poly_step(V x, V sum, float c, Rest... rest) {
  return poly_step(x, hn::MulAdd(sum, x, set(c)), rest...);
}
template <class... Rest>
HWY_INLINE V poly(V x, float highest, Rest... rest) {
  return poly_step(x, set(highest), rest...);
}

// x = n ln 2 + r, |r| <= ln 2 / 2. Adding 1.5 * 2^23 rounds to an integer and leaves n in the low mantissa bits.
struct ExpParts {
  V r;
  VI n_bits;
};
inline constexpr float kRoundMagic = 12582912.0F;

HWY_INLINE ExpParts split_exp(V x) {
  const V t = hn::MulAdd(x, set(1.44269504F), set(kRoundMagic));
  const V n = hn::Sub(t, set(kRoundMagic));
  // ln 2 in two parts; the first has 9 mantissa bits, so n times it is exact without fused multiply-add.
  V r = hn::NegMulAdd(n, set(0.693359375F), x);
  r = hn::NegMulAdd(n, set(-2.12194440e-4F), r);
  return {r, hn::BitCast(DI(), t)};
}

// e^r for |r| <= 0.35: 1 + r + r^2 q(r), relative error 8e-9.
HWY_INLINE V exp_poly(V r) {
  const V q = poly(r, 0.0013926918618381023F, 0.008363766595721245F, 0.04166654869914055F, 0.16666573286056519F, 0.5F);
  return hn::Add(hn::MulAdd(hn::Mul(r, r), q, r), set(1.0F));
}

// e^x, right from denormal results to infinity; below 1 ulp (FMA) or 2 ulp.
HWY_INLINE V exp_full(V x) {
  x = hn::IfThenElse(hn::Gt(x, set(89.0F)), set(89.0F), x);
  x = hn::IfThenElse(hn::Lt(x, set(-105.0F)), set(-105.0F), x);
  const ExpParts parts = split_exp(x);
  // 2^n in two factors: n reaches from -151 to 128, one factor only from -126 to 127.
  const VI n = hn::Sub(parts.n_bits, hn::BitCast(DI(), set(kRoundMagic)));
  const VI half = hn::ShiftRight<1>(n);
  const VI one = hn::BitCast(DI(), set(1.0F));
  const V factor1 = hn::BitCast(D(), hn::Add(hn::ShiftLeft<23>(half), one));
  const V factor2 = hn::BitCast(D(), hn::Add(hn::ShiftLeft<23>(hn::Sub(n, half)), one));
  return hn::Mul(hn::Mul(exp_poly(parts.r), factor1), factor2);
}

// e^x for x <= 88: as exp_full, but results below 2^-126 become 0. Cheaper; for sums that hold a term of 1.
HWY_INLINE V exp_flush(V x) {
  const ExpParts parts = split_exp(x);
  const VI one = hn::BitCast(DI(), set(1.0F));
  const V factor = hn::BitCast(D(), hn::Add(hn::ShiftLeft<23>(parts.n_bits), one));
  return hn::IfThenZeroElse(hn::Lt(x, set(-87.3F)), hn::Mul(exp_poly(parts.r), factor));
}

// 2^x for |x| <= 126, relative error 1e-8 before rounding: 2^n by its exponent bits, 2^r for |r| <= 1/2 by a
// polynomial.
HWY_INLINE V exp2_near(V x) {
  const V t = hn::Add(x, set(kRoundMagic));
  const V r = hn::Sub(x, hn::Sub(t, set(kRoundMagic)));
  const V p = poly(r, 0.00015453163359779865F, 0.0013390863314270973F, 0.009618083015084267F, 0.055503569543361664F,
                   0.24022650718688965F, 0.6931471824645996F, 1.0F);
  // Adding n to the exponent field multiplies by 2^n: p is in [0.7, 1.42], so the sum stays among normal numbers.
  return hn::BitCast(D(), hn::Add(hn::BitCast(DI(), p), hn::ShiftLeft<23>(hn::BitCast(DI(), t))));
}

// ln x: with x = 2^e (1 + f), s = f / (2 + f): ln(1 + f) = f - (f^2/2 - s (f^2/2 + R(s^2))), R the rest of the series
// of 2 artanh s. Within 1 ulp.
HWY_INLINE V log_full(V x) {
  const V inf = set(__builtin_inff());
  const M tiny = hn::Lt(x, set(1.17549435e-38F));
  const V scaled = hn::IfThenElse(tiny, hn::Mul(x, set(8388608.0F)), x);
  // Subtracting the bits of sqrt(1/2) makes the exponent field count from there, so that 1 + f is in [0.707, 1.414).
  const VI base = hn::Set(DI(), 0x3f3504f3);
  const VI bits = hn::Sub(hn::BitCast(DI(), scaled), base);
  const V exponent = hn::Sub(hn::ConvertTo(D(), hn::ShiftRight<23>(bits)), hn::IfThenElseZero(tiny, set(23.0F)));
  const VI mantissa = hn::Add(hn::And(bits, hn::Set(DI(), 0x007fffff)), base);
  const V f = hn::Sub(hn::BitCast(D(), mantissa), set(1.0F));
  const V s = hn::Div(f, hn::Add(f, set(2.0F)));
  const V z = hn::Mul(s, s);
  const V rest = hn::Mul(z, poly(z, 0.181818182F, 0.222222222F, 0.285714286F, 0.4F, 0.666666667F));
  const V half = hn::Mul(set(0.5F), hn::Mul(f, f));
  V y = hn::MulAdd(s, hn::Add(half, rest), hn::Mul(exponent, set(-2.12194440e-4F)));
  y = hn::Sub(y, half);
  y = hn::MulAdd(exponent, set(0.693359375F), hn::Add(f, y));
  y = hn::IfThenElse(hn::Eq(x, inf), inf, y);
  y = hn::IfThenElse(hn::Eq(x, hn::Zero(D())), set(-__builtin_inff()), y);
  // Negative numbers and NaN: x - x is 0, so 0 / 0 stands for "no value" and keeps a NaN that came in.
  const V none = hn::Add(x, set(__builtin_nanf("")));
  return hn::IfThenElse(hn::Ge(x, hn::Zero(D())), y, none);
}

// tanh x: x + x^3 q(x^2) below 0.625 (relative error 4e-9), above it 1 - 2 / (e^(2|x|) + 1).
HWY_INLINE V tanh_full(V x) {
  const V a = hn::Abs(x);
  const V z = hn::Mul(x, x);
  const V q = poly(z, 0.0022927450481802225F, -0.008343945257365704F, 0.02176891826093197F, -0.053959257900714874F,
                   0.13333304226398468F, -0.3333333432674408F);
  const V small = hn::MulAdd(hn::Mul(x, z), q, x);
  const V capped = hn::IfThenElse(hn::Gt(a, set(10.0F)), set(10.0F), a);  // tanh 10 rounds to 1
  const V e = exp_flush(hn::Add(capped, capped));
  const V large = hn::Sub(set(1.0F), hn::Div(set(2.0F), hn::Add(e, set(1.0F))));
  return hn::CopySign(hn::IfThenElse(hn::Lt(a, set(0.625F)), small, large), x);
}

// 1 / (1 + e^-x) as e^min(x,0) / (1 + e^-|x|): no overflow, full relative accuracy on the left.
HWY_INLINE V sigmoid_full(V x) {
  const V e = exp_full(hn::Neg(hn::Abs(x)));
  const V numerator = hn::IfThenElse(hn::Lt(x, hn::Zero(D())), e, set(1.0F));
  return hn::Div(numerator, hn::Add(e, set(1.0F)));
}

// erfc(a) e^(a^2) for a >= 0: w P(w), w = 1 / (1 + 0.49 a), relative error 4e-8 up to a = 9.4 (where e^(-a^2)
// vanishes).
HWY_INLINE V erfc_scaled(V a) {
  const V w = hn::Div(set(1.0F), hn::MulAdd(a, set(0.49F), set(1.0F)));
  return hn::Mul(w, poly(w, -0.05847667157649994F, 0.2958465814590454F, -0.5453603267669678F, 0.37103769183158875F,
                         -0.07526121288537979F, 0.22336876392364502F, 0.2351832538843155F, 0.2772420346736908F,
                         0.27641984820365906F));
}

// erf x: x + x q(x^2) up to 1 (relative error 1e-8), above it 1 - erfc.
HWY_INLINE V erf_full(V x) {
  const V a = hn::Abs(x);
  const V z = hn::Mul(x, x);
  const V q = poly(z, -9.667044650996104e-06F, 0.00011265958892181516F, -0.0008484080317430198F, 0.005221031606197357F,
                   -0.026865430176258087F, 0.11283782124519348F, -0.37612637877464294F, 0.12837917F);
  const V small = hn::MulAdd(x, q, x);
  const V large = hn::NegMulAdd(exp_flush(hn::Neg(z)), erfc_scaled(a), set(1.0F));
  return hn::IfThenElse(hn::Le(a, set(1.0F)), small, hn::CopySign(large, x));
}

// sin x (kCosine: cos x) for |x| <= 8192: x = j pi/2 + r with pi/2 in parts of 11 bits (j has 13, products are exact).
inline constexpr float kTrigLimit = 8192.0F;
template <bool kCosine>
HWY_INLINE V trig_small(V x) {
  const V t = hn::MulAdd(x, set(0.636619772F), set(kRoundMagic));
  const V j = hn::Sub(t, set(kRoundMagic));
  V r = hn::NegMulAdd(j, set(0x1.92p+0F), x);
  r = hn::NegMulAdd(j, set(0x1.fb4p-12F), r);
  r = hn::NegMulAdd(j, set(0x1.444p-24F), r);
  r = hn::NegMulAdd(j, set(0x1.68c234p-39F), r);
  const V z = hn::Mul(r, r);
  const V sine = hn::MulAdd(
      hn::Mul(r, z), poly(z, -2.50521084e-8F, 2.75573192e-6F, -1.98412698e-4F, 8.33333333e-3F, -0.166666667F), r);
  const V cosine = hn::MulAdd(hn::Mul(z, z), poly(z, -2.75573192e-7F, 2.48015873e-5F, -1.38888889e-3F, 4.16666667e-2F),
                              hn::NegMulAdd(set(0.5F), z, set(1.0F)));
  VI quadrant = hn::BitCast(DI(), t);
  if (kCosine) quadrant = hn::Add(quadrant, hn::Set(DI(), 1));
  const VI odd = hn::ShiftRight<31>(hn::ShiftLeft<31>(quadrant));
  const V value = hn::IfThenElse(hn::MaskFromVec(hn::BitCast(D(), odd)), cosine, sine);
  const VI sign = hn::ShiftLeft<30>(hn::And(quadrant, hn::Set(DI(), 2)));
  const V result = hn::Xor(value, hn::BitCast(D(), sign));
  return kCosine ? result : hn::IfThenElse(hn::Eq(x, hn::Zero(D())), x, result);  // keeps the sign of -0
}

// Larger arguments, infinities and NaN go one by one through the C library.
template <bool kCosine>
HWY_INLINE V trig_full(V x) {
  if (HWY_LIKELY(hn::AllTrue(D(), hn::Le(hn::Abs(x), set(kTrigLimit))))) return trig_small<kCosine>(x);
  HWY_ALIGN float buffer[kParts];
  HWY_ALIGN float small[kParts];
  hn::Store(x, D(), buffer);
  hn::Store(trig_small<kCosine>(x), D(), small);
  for (Index i = 0; i < kLanes; ++i) {
    const float value = buffer[i];
    const bool in_range = std::fabs(value) <= kTrigLimit;
    buffer[i] = in_range ? small[i] : kCosine ? std::cos(value) : std::sin(value);
  }
  return hn::Load(D(), buffer);
}

// y = e^(x - shift) for x <= shift, returns the sum. y may be null (sum only) when kStore is false.
template <bool kStore>
HWY_INLINE float exp_sum(float* y, const float* x, float shift, Index n) {
  const V shift_v = set(shift);
  Sums sums;
  for_vectors(n, [&](Index i, Index k, Index count) MINNOW_LAMBDA {
    const V e = exp_flush(hn::Sub(load(x + i, count, -__builtin_inff()), shift_v));
    if (kStore) store(e, y + i, count);
    sums.add(k, e);
  });
  return sums.total();
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
