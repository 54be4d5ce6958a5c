#include "minnow/ops/elementwise.hpp"
#include "ops/one_of_two.hpp"

namespace minnow {
namespace ops {
namespace {

struct Minimum : OneOfTwo<Minimum> {
  static constexpr OpDoc kDoc{"minimum", "minimum(a, b) -> y", "y = the smaller of a and b; NaN if either is",
                              "NumPy minimum"};
  template <class T>
  static bool wins(T a, T b) {
    return a < b;
  }
};

}  // namespace
MINNOW_OP(minimum, Minimum);
}  // namespace ops

Tensor minimum(const Tensor& a, const Tensor& b) { return apply_one(ops::op_minimum, {a, b}, NoAttrs{}); }

}  // namespace minnow
