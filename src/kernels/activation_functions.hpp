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

// An activation and its derivative at the same points.
struct ValueSlope {
  V value;
  V slope;
};

struct Relu {
  static HWY_INLINE V value(V x) { return hn::IfThenZeroElse(hn::Le(x, hn::Zero(D())), x); }
  static HWY_INLINE ValueSlope both(V x) {
    const M stopped = hn::Le(x, hn::Zero(D()));
    return {hn::IfThenZeroElse(stopped, x), hn::IfThenZeroElse(stopped, set(1.0F))};
  }
  // Stops even an infinite gradient.
  static HWY_INLINE V gradient(V slope, V dout) { return hn::IfThenZeroElse(hn::Eq(slope, hn::Zero(D())), dout); }
};

// The gradient of those that have no kink.
struct Smooth {
  static HWY_INLINE V gradient(V slope, V dout) { return hn::Mul(slope, dout); }
};

struct Silu : Smooth {
  static HWY_INLINE V value(V x) { return both(x).value; }
  // s + x s (1 - s) with 1 - s = e s.
  static HWY_INLINE ValueSlope both(V x) {
    const Sigmoid s = sigmoid(x);
    const V value = hn::IfThenZeroElse(s.zero, hn::Mul(x, s.value));
    const V bend = hn::Mul(value, hn::Mul(s.e, s.value));
    const V flat = hn::IfThenZeroElse(s.zero, s.value);
    return {value, hn::IfThenElse(hn::Gt(hn::Abs(x), set(kSteep)), flat, hn::Add(s.value, bend))};
  }
};

// x s(z), z = 2 sqrt(2/pi) (x + 0.044715 x^3), s(z) = 1 / (1 + 2^w): log2 e is in the coefficients of w.
struct GeluTanh : Smooth {
  static constexpr float kSlope = 1.5957691216F;  // 2 sqrt(2/pi)
  static constexpr float kCubic = 1.5957691216F * 0.044715F;
  static constexpr float kSlope2 = -2.3022081994F;  // -log2 e times these
  static constexpr float kCubic2 = -2.3022081994F * 0.044715F;
  static constexpr float kFar = 10.2F;  // beyond, f is 0 or x to f32
  static constexpr float kMost = 126.0F;
  static HWY_INLINE V value(V x) { return both(x).value; }
  static HWY_INLINE ValueSlope both(V x) {
    const V xx = hn::Mul(x, x);
    const V w = hn::Mul(x, hn::MulAdd(xx, set(kCubic2), set(kSlope2)));
    const V e = exp2_near(hn::Min(set(kMost), hn::Max(set(-kMost), w)));
    const V s = hn::Div(set(1.0F), hn::Add(e, set(1.0F)));
    const V inner = hn::Mul(x, s);
    const V bend = hn::Mul(hn::Mul(inner, hn::Mul(e, s)), hn::MulAdd(xx, set(3 * kCubic), set(kSlope)));
    const M far = hn::Gt(hn::Abs(x), set(kFar));
    return {hn::IfThenElse(far, hn::Max(x, hn::Zero(D())), inner), hn::Add(s, hn::IfThenZeroElse(far, bend))};
  }
};

struct GeluErf : Smooth {
  static constexpr float kFar = 13.0F;  // the normal tail beyond is below 1e-38
  static HWY_INLINE V value(V x) { return both(x).value; }
  static HWY_INLINE ValueSlope both(V x) {
    const V a = hn::Mul(hn::Abs(x), set(0.70710678F));
    const V e = exp_flush(hn::Mul(hn::Mul(x, x), set(-0.5F)));
    const V tail = hn::Mul(hn::Mul(set(0.5F), e), erfc_scaled(a));
    const V phi = hn::IfThenElse(hn::Lt(x, hn::Zero(D())), tail, hn::Sub(set(1.0F), tail));
    const V density = hn::Mul(e, set(0.39894228F));  // 1 / sqrt(2 pi)
    return {hn::IfThenZeroElse(hn::Lt(x, set(-kFar)), hn::Mul(x, phi)),
            hn::IfThenElse(hn::Gt(hn::Abs(x), set(kFar)), phi, hn::MulAdd(x, density, phi))};
  }
};

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
