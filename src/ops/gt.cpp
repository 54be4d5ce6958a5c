#include "minnow/ops/elementwise.hpp"
#include "ops/comparison.hpp"

namespace minnow {
namespace ops {
namespace {

struct Gt : Comparison<Gt> {
  static constexpr OpDoc kDoc{"gt", "gt(a, b) -> mask", "mask = a > b", "NumPy greater"};
  template <class T>
  static bool value(T a, T b) {
    return a > b;
  }
};

}  // namespace
MINNOW_OP(gt, Gt);
}  // namespace ops

Tensor gt(const Tensor& a, const Tensor& b) { return apply_one(ops::op_gt, {a, b}, NoAttrs{}); }

}  // namespace minnow
