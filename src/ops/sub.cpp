#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Sub : Binary<Sub> {
  static constexpr OpDoc kDoc{"sub", "sub(a, b) -> y", "y = a - b", "NumPy subtract"};
  static constexpr Saves kSaves{};
  template <class T>
  static T value(T a, T b) {
    return a - b;
  }
  template <class T>
  static T slope_a(T, T) {
    return T{1};
  }
  template <class T>
  static T slope_b(T, T) {
    return T{-1};
  }
  static std::vector<Sample> samples() { return binary_samples(-2, 2, -2, 2); }
};

}  // namespace
MINNOW_OP(sub, Sub);
}  // namespace ops

Tensor sub(const Tensor& a, const Tensor& b) { return apply_one(ops::op_sub, {a, b}, NoAttrs{}); }

}  // namespace minnow
