#include "ops/triangle.hpp"

namespace minnow {
namespace ops {
namespace {

struct Triu : Triangle<Triu> {
  static constexpr OpDoc kDoc{"triu", "triu(x, diagonal) -> y",
                              "y = x on the diagonal and above it, 0 below, over the last two axes", "NumPy triu"};
  static constexpr bool kLower = false;
};

}  // namespace
MINNOW_OP(triu, Triu);
}  // namespace ops

Tensor triu(const Tensor& x, Index diagonal) { return apply_one(ops::op_triu, {x}, ops::TriangleAttrs{diagonal}); }

}  // namespace minnow
