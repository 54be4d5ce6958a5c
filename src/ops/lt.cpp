#include "minnow/ops/elementwise.hpp"
#include "ops/comparison.hpp"

namespace minnow {
namespace ops {
namespace {

struct Lt : Comparison<Lt> {
  static constexpr OpDoc kDoc{"lt", "lt(a, b) -> mask", "mask = a < b", "NumPy less"};
  template <class T>
  static bool value(T a, T b) {
    return a < b;
  }
};

}  // namespace
MINNOW_OP(lt, Lt);
}  // namespace ops

Tensor lt(const Tensor& a, const Tensor& b) { return apply_one(ops::op_lt, {a, b}, NoAttrs{}); }

}  // namespace minnow
