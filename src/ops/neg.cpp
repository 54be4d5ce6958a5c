#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Neg : Unary<Neg> {
  static constexpr OpDoc kDoc{"neg", "neg(x) -> y", "y = -x", "NumPy negative"};
  static constexpr Saves kSaves{};
  template <class T>
  static void map(T* y, const T* x, Index n, const Attrs&) {
    for (Index i = 0; i < n; ++i) y[i] = -x[i];
  }
  template <class T>
  static T slope(T, T, const Attrs&) {
    return T{-1};
  }
  static std::vector<Sample> samples() { return unary_samples(-2, 2); }
};

}  // namespace
MINNOW_OP(neg, Neg);
}  // namespace ops

Tensor neg(const Tensor& x) { return apply_one(ops::op_neg, {x}, NoAttrs{}); }

}  // namespace minnow
