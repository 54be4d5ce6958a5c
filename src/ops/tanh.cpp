#include "minnow/kernels/vector_math.hpp"
#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Tanh : Unary<Tanh> {
  static constexpr OpDoc kDoc{"tanh", "tanh(x) -> y", "y = (e^x - e^-x) / (e^x + e^-x)", "NumPy tanh"};
  static constexpr Saves kSaves{.outputs = 0b1};
  template <class T>
  static void map(T* y, const T* x, Index n, const Attrs&) {
    kernels::vtanh(y, x, n);
  }
  template <class T>
  static T slope(T, T y, const Attrs&) {
    return T{1} - y * y;
  }
  static std::vector<Sample> samples() { return unary_samples(-2, 2); }
};

}  // namespace
MINNOW_OP(tanh, Tanh);
}  // namespace ops

Tensor tanh(const Tensor& x) { return apply_one(ops::op_tanh, {x}, NoAttrs{}); }

}  // namespace minnow
