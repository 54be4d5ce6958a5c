#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Div : Binary<Div> {
  static constexpr OpDoc kDoc{"div", "div(a, b) -> y", "y = a / b", "NumPy divide"};
  static constexpr Saves kSaves{.inputs = 0b11};
  template <class T>
  static T value(T a, T b) {
    return a / b;
  }
  template <class T>
  static T slope_a(T, T b) {
    return T{1} / b;
  }
  template <class T>
  static T slope_b(T a, T b) {
    return -a / b / b;
  }
  static std::vector<Sample> samples() { return binary_samples(-2, 2, 0.5, 2); }
};

}  // namespace
MINNOW_OP(div, Div);
}  // namespace ops

Tensor div(const Tensor& a, const Tensor& b) { return apply_one(ops::op_div, {a, b}, NoAttrs{}); }

}  // namespace minnow
