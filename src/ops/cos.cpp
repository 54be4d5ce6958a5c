#include "minnow/kernels/vector_math.hpp"
#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Cos : Unary<Cos> {
  static constexpr OpDoc kDoc{"cos", "cos(x) -> y", "y = cos x, x in radians", "NumPy cos"};
  static constexpr Saves kSaves{.inputs = 0b1};
  template <class T>
  static void map(T* y, const T* x, Index n, const Attrs&) {
    kernels::vcos(y, x, n);
  }
  template <class T>
  static void slopes(T* s, const T* x, const T*, Index n, const Attrs&) {
    kernels::vsin(s, x, n);
    for (Index i = 0; i < n; ++i) s[i] = -s[i];
  }
  static std::vector<Sample> samples() { return unary_samples(-4, 4); }
};

}  // namespace
MINNOW_OP(cos, Cos);
}  // namespace ops

Tensor cos(const Tensor& x) { return apply_one(ops::op_cos, {x}, NoAttrs{}); }

}  // namespace minnow
