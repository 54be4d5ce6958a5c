#include "minnow/ops/elementwise.hpp"
#include "ops/comparison.hpp"

namespace minnow {
namespace ops {
namespace {

struct Ne : Comparison<Ne> {
  static constexpr OpDoc kDoc{"ne", "ne(a, b) -> mask", "mask = a != b", "NumPy not_equal"};
  template <class T>
  static bool value(T a, T b) {
    return a != b;
  }
};

}  // namespace
MINNOW_OP(ne, Ne);
}  // namespace ops

Tensor ne(const Tensor& a, const Tensor& b) { return apply_one(ops::op_ne, {a, b}, NoAttrs{}); }

}  // namespace minnow
