#include "minnow/kernels/vector_math.hpp"
#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Sin : Unary<Sin> {
  static constexpr OpDoc kDoc{"sin", "sin(x) -> y", "y = sin x, x in radians", "NumPy sin"};
  static constexpr Saves kSaves{.inputs = 0b1};
  template <class T>
  static void map(T* y, const T* x, Index n, const Attrs&) {
    kernels::vsin(y, x, n);
  }
  template <class T>
  static void slopes(T* s, const T* x, const T*, Index n, const Attrs&) {
    kernels::vcos(s, x, n);
  }
  static std::vector<Sample> samples() { return unary_samples(-4, 4); }
};

}  // namespace
MINNOW_OP(sin, Sin);
}  // namespace ops

Tensor sin(const Tensor& x) { return apply_one(ops::op_sin, {x}, NoAttrs{}); }

}  // namespace minnow
