#include "minnow/ops/elementwise.hpp"
#include "ops/comparison.hpp"

namespace minnow {
namespace ops {
namespace {

struct Eq : Comparison<Eq> {
  static constexpr OpDoc kDoc{"eq", "eq(a, b) -> mask", "mask = a == b", "NumPy equal"};
  template <class T>
  static bool value(T a, T b) {
    return a == b;
  }
};

}  // namespace
MINNOW_OP(eq, Eq);
}  // namespace ops

Tensor eq(const Tensor& a, const Tensor& b) { return apply_one(ops::op_eq, {a, b}, NoAttrs{}); }

}  // namespace minnow
