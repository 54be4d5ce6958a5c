#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct MulScalar : Unary<MulScalar, double> {
  static constexpr OpDoc kDoc{"mul_scalar", "mul_scalar(x, factor) -> y", "y = x * factor", "NumPy multiply"};
  static constexpr Saves kSaves{};
  template <class T>
  static void map(T* y, const T* x, Index n, double factor) {
    for (Index i = 0; i < n; ++i) y[i] = x[i] * static_cast<T>(factor);
  }
  template <class T>
  static T slope(T, T, double factor) {
    return static_cast<T>(factor);
  }
  static std::vector<Sample> samples() { return unary_samples(-2, 2, AttrBox::of(-1.5)); }
};

}  // namespace
MINNOW_OP(mul_scalar, MulScalar);
}  // namespace ops

Tensor mul_scalar(const Tensor& x, double factor) { return apply_one(ops::op_mul_scalar, {x}, factor); }

}  // namespace minnow
