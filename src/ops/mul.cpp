#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Mul : Binary<Mul> {
  static constexpr OpDoc kDoc{"mul", "mul(a, b) -> y", "y = a * b", "NumPy multiply"};
  static constexpr Saves kSaves{.inputs = 0b11};
  template <class T>
  static T value(T a, T b) {
    return a * b;
  }
  template <class T>
  static T slope_a(T, T b) {
    return b;
  }
  template <class T>
  static T slope_b(T a, T) {
    return a;
  }
  static std::vector<Sample> samples() { return binary_samples(-2, 2, -2, 2); }
};

}  // namespace
MINNOW_OP(mul, Mul);
}  // namespace ops

Tensor mul(const Tensor& a, const Tensor& b) { return apply_one(ops::op_mul, {a, b}, NoAttrs{}); }

}  // namespace minnow
