#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct AddScalar : Unary<AddScalar, double> {
  static constexpr OpDoc kDoc{"add_scalar", "add_scalar(x, value) -> y", "y = x + value", "NumPy add"};
  static constexpr Saves kSaves{};
  template <class T>
  static void map(T* y, const T* x, Index n, double value) {
    for (Index i = 0; i < n; ++i) y[i] = x[i] + static_cast<T>(value);
  }
  template <class T>
  static T slope(T, T, double) {
    return T{1};
  }
  static std::vector<Sample> samples() { return unary_samples(-2, 2, AttrBox::of(0.75)); }
};

}  // namespace
MINNOW_OP(add_scalar, AddScalar);
}  // namespace ops

Tensor add_scalar(const Tensor& x, double value) { return apply_one(ops::op_add_scalar, {x}, value); }

}  // namespace minnow
