// Activations and their slopes on vectors, compiled once per instruction set: include after hwy/foreach_target.h.
#if defined(MINNOW_KERNELS_ACTIVATION_FUNCTIONS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MINNOW_KERNELS_ACTIVATION_FUNCTIONS_HPP
#undef MINNOW_KERNELS_ACTIVATION_FUNCTIONS_HPP
#else
#define MINNOW_KERNELS_ACTIVATION_FUNCTIONS_HPP
#endif

#include "kernels/simd_math.hpp"

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

// Past |z| = 87 a sigmoid is 0 or 1 in f32; e^87 still is a number.
inline constexpr float kSteep = 87.0F;

struct Sigmoid {
  V e;      // e^-z, z held above -87
  V value;  // 1 / (1 + e)
  M zero;   // z < -87: the sigmoid is 0 to f32, and x * sigmoid too, even for x = -inf
};

HWY_INLINE Sigmoid sigmoid(V z) {
  const M zero = hn::Lt(z, set(-kSteep));
  const V e = exp_flush(hn::IfThenElse(zero, set(kSteep), hn::Neg(z)));
  return {e, hn::Div(set(1.0F), hn::Add(e, set(1.0F))), zero};
}

struct Relu {
  static HWY_INLINE V value(V x) { return hn::IfThenZeroElse(hn::Le(x, hn::Zero(D())), x); }
  static HWY_INLINE V gradient(V x, V dout) { return hn::IfThenZeroElse(hn::Le(x, hn::Zero(D())), dout); }
};

struct Silu {
  static HWY_INLINE V value(V x) {
    const Sigmoid s = sigmoid(x);
    return hn::IfThenZeroElse(s.zero, hn::Div(x, hn::Add(s.e, set(1.0F))));
  }
  // s + x s (1 - s) with 1 - s = e s.
  static HWY_INLINE V slope(V x) {
    const Sigmoid s = sigmoid(x);
    const V bend = hn::Mul(hn::Mul(x, s.value), hn::Mul(s.e, s.value));
    const V flat = hn::IfThenZeroElse(s.zero, s.value);
    return hn::IfThenElse(hn::Gt(hn::Abs(x), set(kSteep)), flat, hn::Add(s.value, bend));
  }
};

struct GeluTanh {
  static constexpr float kSlope = 1.5957691216F;  // 2 sqrt(2/pi)
  static constexpr float kCubic = 1.5957691216F * 0.044715F;
  static HWY_INLINE V inner(V x) { return hn::Mul(x, hn::MulAdd(hn::Mul(x, x), set(kCubic), set(kSlope))); }
  static HWY_INLINE V value(V x) {
    const Sigmoid s = sigmoid(inner(x));
    return hn::IfThenZeroElse(s.zero, hn::Div(x, hn::Add(s.e, set(1.0F))));
  }
  static HWY_INLINE V slope(V x) {
    const V z = inner(x);
    const Sigmoid s = sigmoid(z);
    const V dz = hn::MulAdd(hn::Mul(x, x), set(3 * kCubic), set(kSlope));
    const V bend = hn::Mul(hn::Mul(hn::Mul(x, s.value), hn::Mul(s.e, s.value)), dz);
    const V flat = hn::IfThenZeroElse(s.zero, s.value);
    return hn::IfThenElse(hn::Gt(hn::Abs(z), set(kSteep)), flat, hn::Add(s.value, bend));
  }
};

struct GeluErf {
  static constexpr float kFar = 13.0F;  // the normal tail beyond is below 1e-38
  struct Normal {
    V e;    // e^(-x^2/2)
    V phi;  // distribution function
  };
  static HWY_INLINE Normal normal(V x) {
    const V a = hn::Mul(hn::Abs(x), set(0.70710678F));
    const V e = exp_flush(hn::Mul(hn::Mul(x, x), set(-0.5F)));
    const V tail = hn::Mul(hn::Mul(set(0.5F), e), erfc_scaled(a));
    return {e, hn::IfThenElse(hn::Lt(x, hn::Zero(D())), tail, hn::Sub(set(1.0F), tail))};
  }
  static HWY_INLINE V value(V x) { return hn::IfThenZeroElse(hn::Lt(x, set(-kFar)), hn::Mul(x, normal(x).phi)); }
  static HWY_INLINE V slope(V x) {
    const Normal p = normal(x);
    const V density = hn::Mul(p.e, set(0.39894228F));  // 1 / sqrt(2 pi)
    return hn::IfThenElse(hn::Gt(hn::Abs(x), set(kFar)), p.phi, hn::MulAdd(x, density, p.phi));
  }
};

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
