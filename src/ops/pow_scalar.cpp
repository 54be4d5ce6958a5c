#include <cmath>

#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

/// In f64 also for f32: an exponent such as 0.1 has no f32.
template <class T>
T power(T x, double exponent) {
  return static_cast<T>(std::pow(static_cast<double>(x), exponent));
}

struct PowScalar : Unary<PowScalar, double> {
  static constexpr OpDoc kDoc{"pow_scalar", "pow_scalar(x, exponent) -> y", "y = x^exponent; 0^0 = 1", "NumPy power"};
  static constexpr Saves kSaves{.inputs = 0b1};
  template <class T>
  static void map(T* y, const T* x, Index n, double exponent) {
    for (Index i = 0; i < n; ++i) y[i] = power(x[i], exponent);
  }
  template <class T>
  static T slope(T x, T, double exponent) {
    return exponent == 0 ? T{0} : static_cast<T>(exponent * std::pow(static_cast<double>(x), exponent - 1));
  }
  static std::vector<Sample> samples() {
    std::vector<Sample> made = unary_samples(0.3, 2, AttrBox::of(-0.7));
    for (double exponent : {0.0, 1.0, 2.0, 3.0, -1.0}) {
      made.push_back({.note = "negative bases to the power " + std::to_string(exponent),
                      .inputs = {sample_numbers({9}, -2, -0.3)},
                      .attrs = AttrBox::of(exponent)});
    }
    return made;
  }
};

}  // namespace
MINNOW_OP(pow_scalar, PowScalar);
}  // namespace ops

Tensor pow_scalar(const Tensor& x, double exponent) { return apply_one(ops::op_pow_scalar, {x}, exponent); }

}  // namespace minnow
