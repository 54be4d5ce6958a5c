#pragma once
/// @file
/// Elementwise operations, with NumPy's broadcasting where there are two inputs.
///
/// Inputs are f32 or f64 (all of one type) unless said otherwise, of any shape and strides; results are new contiguous
/// tensors. NaN gives NaN. Every gradient follows one rule: where nothing comes in, nothing goes out, 0 * inf = 0, so
/// that a branch which where() did not select cannot poison the gradient. Gradients of broadcast inputs are summed
/// over the broadcast axes. Accuracy in f32: see minnow/kernels/vector_math.hpp.
/// Throws (all): ShapeError naming the operation, for shapes that do not fit and for types that it cannot work on.

#include <optional>

#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// y = -x.
[[nodiscard]] Tensor neg(const Tensor& x);
/// y = e^x. Gradient: dx = dout y.
[[nodiscard]] Tensor exp(const Tensor& x);
/// y = ln x; ln 0 = -inf. Gradient: dx = dout / x, +inf at 0.
[[nodiscard]] Tensor log(const Tensor& x);
/// y = the square root of x. Gradient: dx = dout / (2 y), +inf at 0.
[[nodiscard]] Tensor sqrt(const Tensor& x);
/// y = 1 / sqrt(x). Gradient: dx = -dout y^3 / 2.
[[nodiscard]] Tensor rsqrt(const Tensor& x);
/// y = 1 / x. Gradient: dx = -dout y^2.
[[nodiscard]] Tensor reciprocal(const Tensor& x);
/// y = x^2. Gradient: dx = 2 dout x.
[[nodiscard]] Tensor square(const Tensor& x);
/// y = sin x, x in radians. Gradient: dx = dout cos x.
[[nodiscard]] Tensor sin(const Tensor& x);
/// y = cos x, x in radians. Gradient: dx = -dout sin x.
[[nodiscard]] Tensor cos(const Tensor& x);
/// y = tanh x. Gradient: dx = dout (1 - y^2).
[[nodiscard]] Tensor tanh(const Tensor& x);
/// y = 1 / (1 + e^-x). Gradient: dx = dout y (1 - y).
[[nodiscard]] Tensor sigmoid(const Tensor& x);
/// y = 2/sqrt(pi) * integral of e^(-t^2) from 0 to x. Gradient: dx = dout 2/sqrt(pi) e^(-x^2).
[[nodiscard]] Tensor erf(const Tensor& x);
/// y = max(x, 0). Gradient: dout where x > 0; 0 at 0.
[[nodiscard]] Tensor relu(const Tensor& x);
/// y = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))): GPT-2's GELU. Source: Hendrycks, Gimpel 2016.
[[nodiscard]] Tensor gelu_tanh(const Tensor& x);
/// y = x/2 (1 + erf(x / sqrt 2)): BERT's GELU. Source: Hendrycks, Gimpel 2016.
[[nodiscard]] Tensor gelu_erf(const Tensor& x);
/// y = x / (1 + e^-x), also called swish. Source: Elfwing, Uchibe, Doya 2018.
[[nodiscard]] Tensor silu(const Tensor& x);
/// y = ln(1 + e^x), exact for every x (no threshold). Gradient: dx = dout / (1 + e^-x).
[[nodiscard]] Tensor softplus(const Tensor& x);
/// y = x for x > 0, else e^x - 1. Gradient: dx = dout where x > 0, else dout (y + 1).
[[nodiscard]] Tensor elu(const Tensor& x);
/// y = |x|. Gradient: the sign of x times dout; 0 at 0.
[[nodiscard]] Tensor abs(const Tensor& x);

/// y = a + b. Gradient: dout to both.
[[nodiscard]] Tensor add(const Tensor& a, const Tensor& b);
/// y = a - b. Gradient: da = dout, db = -dout.
[[nodiscard]] Tensor sub(const Tensor& a, const Tensor& b);
/// y = a * b. Gradient: da = dout b, db = dout a.
[[nodiscard]] Tensor mul(const Tensor& a, const Tensor& b);
/// y = a / b. Gradient: da = dout / b, db = -dout a / b^2.
[[nodiscard]] Tensor div(const Tensor& a, const Tensor& b);
/// y = a^b; 0^0 = 1. Negative bases only with whole exponents, else NaN.
/// Gradient: da = dout b a^(b-1), 0 for b = 0; db = dout y ln a, 0 for a = 0 and b >= 0.
[[nodiscard]] Tensor pow(const Tensor& a, const Tensor& b);
/// y = the larger of a and b. Gradient: dout to the larger one, half to each at a tie.
[[nodiscard]] Tensor maximum(const Tensor& a, const Tensor& b);
/// y = the smaller of a and b. Gradient: dout to the smaller one, half to each at a tie.
[[nodiscard]] Tensor minimum(const Tensor& a, const Tensor& b);

/// y = x + value, the value rounded to x's type.
[[nodiscard]] Tensor add_scalar(const Tensor& x, double value);
/// y = x * factor, the factor rounded to x's type. Keeps nothing for backward.
[[nodiscard]] Tensor mul_scalar(const Tensor& x, double factor);
/// y = x^exponent; 0^0 = 1. Gradient: dx = dout exponent x^(exponent-1), 0 for exponent 0.
[[nodiscard]] Tensor pow_scalar(const Tensor& x, double exponent);
/// y = x held between the bounds, of which one may be missing. Gradient: dout where min <= x <= max, 0 outside; on a
/// bound x itself passes, so the gradient does too. Throws: ShapeError also without bounds and for min > max.
[[nodiscard]] Tensor clamp(const Tensor& x, std::optional<double> min, std::optional<double> max = {});

/// y = a where cond is true, else b; all three broadcast.
/// @param cond bool. Gradient: dout to the chosen side, 0 to the other.
[[nodiscard]] Tensor where(const Tensor& cond, const Tensor& a, const Tensor& b);

/// y = x in another floating type (f32, f64, bf16), rounded to nearest even; the only operation that takes bf16.
/// Gradient: dout in x's type.
[[nodiscard]] Tensor cast(const Tensor& x, DType dtype);

/// @name Comparisons
/// mask = a ? b as bool, with broadcasting; no gradient. Both of one type: f32, f64, i32 or i64. NaN is unequal to all.
/// @{
[[nodiscard]] Tensor eq(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor ne(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor lt(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor le(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor gt(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor ge(const Tensor& a, const Tensor& b);
/// @}

/// @name Operators
/// The same operations as signs; numbers are rounded to the tensor's type.
/// @{
[[nodiscard]] inline Tensor operator-(const Tensor& x) { return neg(x); }
[[nodiscard]] inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
[[nodiscard]] inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
[[nodiscard]] inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
[[nodiscard]] inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
[[nodiscard]] inline Tensor operator+(const Tensor& x, double value) { return add_scalar(x, value); }
[[nodiscard]] inline Tensor operator+(double value, const Tensor& x) { return add_scalar(x, value); }
[[nodiscard]] inline Tensor operator-(const Tensor& x, double value) { return add_scalar(x, -value); }
[[nodiscard]] inline Tensor operator-(double value, const Tensor& x) { return add_scalar(neg(x), value); }
[[nodiscard]] inline Tensor operator*(const Tensor& x, double factor) { return mul_scalar(x, factor); }
[[nodiscard]] inline Tensor operator*(double factor, const Tensor& x) { return mul_scalar(x, factor); }
[[nodiscard]] inline Tensor operator/(const Tensor& x, double divisor) {
  return div(x, Tensor::full({}, divisor, x.dtype()));
}
[[nodiscard]] inline Tensor operator/(double value, const Tensor& x) {
  return div(Tensor::full({}, value, x.dtype()), x);
}
/// @}

}  // namespace minnow
