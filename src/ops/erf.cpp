#include <numbers>

#include "minnow/kernels/vector_math.hpp"
#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Erf : Unary<Erf> {
  static constexpr OpDoc kDoc{"erf", "erf(x) -> y", "y = 2/sqrt(pi) * integral of e^(-t^2) from 0 to x",
                              "Abramowitz, Stegun 1964, 7.1.1"};
  static constexpr Saves kSaves{.inputs = 0b1};
  template <class T>
  static void map(T* y, const T* x, Index n, const Attrs&) {
    kernels::verf(y, x, n);
  }
  template <class T>
  static void slopes(T* s, const T* x, const T*, Index n, const Attrs&) {
    for (Index i = 0; i < n; ++i) s[i] = -x[i] * x[i];
    kernels::vexp(s, s, n);
    constexpr T kScale = static_cast<T>(2 * std::numbers::inv_sqrtpi);
    for (Index i = 0; i < n; ++i) s[i] *= kScale;
  }
  static std::vector<Sample> samples() { return unary_samples(-2, 2); }
};

}  // namespace
MINNOW_OP(erf, Erf);
}  // namespace ops

Tensor erf(const Tensor& x) { return apply_one(ops::op_erf, {x}, NoAttrs{}); }

}  // namespace minnow
