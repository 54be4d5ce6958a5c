#include "ops/triangle.hpp"

namespace minnow {
namespace ops {
namespace {

struct Tril : Triangle<Tril> {
  static constexpr OpDoc kDoc{"tril", "tril(x, diagonal) -> y",
                              "y = x on the diagonal and below it, 0 above, over the last two axes", "NumPy tril"};
  static constexpr bool kLower = true;
};

}  // namespace
MINNOW_OP(tril, Tril);
}  // namespace ops

Tensor tril(const Tensor& x, Index diagonal) { return apply_one(ops::op_tril, {x}, ops::TriangleAttrs{diagonal}); }

}  // namespace minnow
