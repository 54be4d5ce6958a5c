#include "minnow/ops/elementwise.hpp"
#include "ops/comparison.hpp"

namespace minnow {
namespace ops {
namespace {

struct Le : Comparison<Le> {
  static constexpr OpDoc kDoc{"le", "le(a, b) -> mask", "mask = a <= b", "NumPy less_equal"};
  template <class T>
  static bool value(T a, T b) {
    return a <= b;
  }
};

}  // namespace
MINNOW_OP(le, Le);
}  // namespace ops

Tensor le(const Tensor& a, const Tensor& b) { return apply_one(ops::op_le, {a, b}, NoAttrs{}); }

}  // namespace minnow
