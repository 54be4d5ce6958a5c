#include <cmath>

#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Maximum : Binary<Maximum> {
  static constexpr OpDoc kDoc{"maximum", "maximum(a, b) -> y", "y = the larger of a and b; NaN if either is",
                              "NumPy maximum"};
  static constexpr Saves kSaves{.inputs = 0b11};
  template <class T>
  static T value(T a, T b) {
    return a > b || std::isnan(a) ? a : b;
  }
  template <class T>
  static T slope_a(T a, T b) {
    return a > b ? T{1} : (a == b ? T{0.5} : T{0});
  }
  template <class T>
  static T slope_b(T a, T b) {
    return b > a ? T{1} : (a == b ? T{0.5} : T{0});
  }
  static std::vector<Sample> samples() {
    std::vector<Sample> made = binary_samples(0.3, 1, -1, 0.2);
    made.push_back({.note = "ties",
                    .inputs = {Tensor::from<double>({1, 2, 3}, {3}), Tensor::from<double>({1, 3, 3}, {3})},
                    .attrs = AttrBox::of(NoAttrs{}),
                    .smooth = false});
    return made;
  }
};

}  // namespace
MINNOW_OP(maximum, Maximum);
}  // namespace ops

Tensor maximum(const Tensor& a, const Tensor& b) { return apply_one(ops::op_maximum, {a, b}, NoAttrs{}); }

}  // namespace minnow
