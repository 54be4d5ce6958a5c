#include "minnow/ops/elementwise.hpp"
#include "ops/comparison.hpp"

namespace minnow {
namespace ops {
namespace {

struct Ge : Comparison<Ge> {
  static constexpr OpDoc kDoc{"ge", "ge(a, b) -> mask", "mask = a >= b", "NumPy greater_equal"};
  template <class T>
  static bool value(T a, T b) {
    return a >= b;
  }
};

}  // namespace
MINNOW_OP(ge, Ge);
}  // namespace ops

Tensor ge(const Tensor& a, const Tensor& b) { return apply_one(ops::op_ge, {a, b}, NoAttrs{}); }

}  // namespace minnow
