#include <cmath>

#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

struct Minimum : Binary<Minimum> {
  static constexpr OpDoc kDoc{"minimum", "minimum(a, b) -> y", "y = the smaller of a and b; NaN if either is",
                              "NumPy minimum"};
  static constexpr Saves kSaves{.inputs = 0b11};
  template <class T>
  static T value(T a, T b) {
    return a < b || std::isnan(a) ? a : b;
  }
  template <class T>
  static T slope_a(T a, T b) {
    return a < b ? T{1} : (a == b ? T{0.5} : T{0});
  }
  template <class T>
  static T slope_b(T a, T b) {
    return b < a ? T{1} : (a == b ? T{0.5} : T{0});
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
MINNOW_OP(minimum, Minimum);
}  // namespace ops

Tensor minimum(const Tensor& a, const Tensor& b) { return apply_one(ops::op_minimum, {a, b}, NoAttrs{}); }

}  // namespace minnow
