#include "minnow/ops/elementwise.hpp"
#include "ops/one_of_two.hpp"

namespace minnow {
namespace ops {
namespace {

struct Maximum : OneOfTwo<Maximum> {
  static constexpr OpDoc kDoc{"maximum", "maximum(a, b) -> y", "y = the larger of a and b; NaN if either is",
                              "NumPy maximum"};
  template <class T>
  static bool wins(T a, T b) {
    return a > b;
  }
};

}  // namespace
MINNOW_OP(maximum, Maximum);
}  // namespace ops

Tensor maximum(const Tensor& a, const Tensor& b) { return apply_one(ops::op_maximum, {a, b}, NoAttrs{}); }

}  // namespace minnow
