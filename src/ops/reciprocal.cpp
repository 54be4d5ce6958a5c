#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Reciprocal : Unary<Reciprocal> {
  static constexpr OpDoc kDoc{"reciprocal", "reciprocal(x) -> y", "y = 1 / x", "NumPy reciprocal"};
  static constexpr Saves kSaves{.outputs = 0b1};
  template <class T>
  static void map(T* y, const T* x, Index n, const Attrs&) {
    for (Index i = 0; i < n; ++i) y[i] = T{1} / x[i];
  }
  template <class T>
  static T slope(T, T y, const Attrs&) {
    return -y * y;
  }
  static std::vector<Sample> samples() { return two_sided_samples(0.2, 3); }
};

}  // namespace
MINNOW_OP(reciprocal, Reciprocal);
}  // namespace ops

Tensor reciprocal(const Tensor& x) { return apply_one(ops::op_reciprocal, {x}, NoAttrs{}); }

}  // namespace minnow
