#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/ops/shape.hpp"
#include "ops/samples.hpp"
#include "ops/view_op.hpp"

namespace minnow {
namespace ops {
namespace {

struct Reshape : ViewOp {
  struct Attrs {
    Shape shape;
  };
  static constexpr OpDoc kDoc{"reshape", "reshape(x, shape) -> y", "the elements in row-major order under other sizes",
                              "NumPy reshape"};

  static Shape resolve(const Shape& from, Shape to) {
    Index known = 1;
    Index unknown = -1;
    bool fits = true;
    for (Index axis = 0; axis < to.rank(); ++axis) {
      if (to[axis] == -1 && unknown < 0) {
        unknown = axis;
      } else {
        fits = fits && !__builtin_mul_overflow(known, to[axis], &known);
      }
    }
    if (fits && unknown >= 0 && known > 0) to[unknown] = from.numel() / known;
    if (!fits || known < 0 || (unknown >= 0 && known == 0) || to.numel() != from.numel()) {
      throw ShapeError(
          fmt::format("[reshape] both shapes must hold as many elements; got {} for {}", to.str(), from.str()));
    }
    return to;
  }
  static Tensor view(const Tensor& x, const Attrs& attrs) {
    const Shape shape = resolve(x.shape(), attrs.shape);
    const Tensor line = x.contiguous();
    return line.as_strided(shape, shape.contiguous_strides(), line.offset());
  }
  static Tensor view_backward(const Tensor& dout, const TensorSpec& input, const Attrs&) {
    const Tensor line = dout.contiguous();
    return line.as_strided(input.shape, input.shape.contiguous_strides(), line.offset());
  }
  static std::vector<Sample> samples() {
    const auto to = [](const Shape& shape) { return AttrBox::of(Attrs{shape}); };
    return {{.note = "(2, 3, 4) to (6, 4)", .inputs = {sample_numbers({2, 3, 4}, -1, 1)}, .attrs = to({6, 4})},
            {.note = "one size worked out", .inputs = {sample_numbers({2, 3, 4}, -1, 1)}, .attrs = to({3, -1})},
            {.note = "to a scalar", .inputs = {sample_numbers({1, 1}, -1, 1)}, .attrs = to({})},
            {.note = "no elements", .inputs = {sample_numbers({0, 3}, -1, 1)}, .attrs = to({3, 0})},
            {.note = "another count", .inputs = {sample_numbers({2, 3}, -1, 1)}, .attrs = to({5}), .valid = false},
            {.note = "two unknown sizes",
             .inputs = {sample_numbers({2, 3}, -1, 1)},
             .attrs = to({-1, -1}),
             .valid = false}};
  }
};

}  // namespace
MINNOW_OP(reshape, Reshape);
}  // namespace ops

Tensor reshape(const Tensor& x, const Shape& shape) {
  return apply_one(ops::op_reshape, {x}, ops::Reshape::Attrs{shape});
}

}  // namespace minnow
