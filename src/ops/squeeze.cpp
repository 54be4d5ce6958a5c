#include "minnow/ops/shape.hpp"
#include "ops/pieces.hpp"
#include "ops/samples.hpp"
#include "ops/view_op.hpp"

namespace minnow {
namespace ops {
namespace {

struct Squeeze : ViewOp {
  struct Attrs {
    Index axis = 0;
  };
  static constexpr OpDoc kDoc{"squeeze", "squeeze(x, axis) -> y", "x without an axis of size 1", "NumPy squeeze"};

  static Tensor view(const Tensor& x, const Attrs& attrs) {
    Shape shape = x.shape();
    Shape strides = x.strides();
    const Index axis = shape.axis(attrs.axis, "squeeze");
    if (shape[axis] != 1) {
      throw ShapeError(fmt::format("[squeeze] the axis must have size 1; got axis {} of {}", axis, shape.str()));
    }
    shape.erase(axis);
    strides.erase(axis);
    return x.as_strided(shape, strides, x.offset());
  }
  static Tensor view_backward(const Tensor& dout, const TensorSpec& input, const Attrs& attrs) {
    return with_new_axis(dout, input.shape.axis(attrs.axis, "squeeze"));
  }
  static std::vector<Sample> samples() {
    const Tensor x = sample_numbers({3, 1, 5}, -1, 1);
    return {{.note = "middle", .inputs = {x}, .attrs = AttrBox::of(Attrs{1})},
            {.note = "to a scalar", .inputs = {sample_numbers({1}, 0, 1)}, .attrs = AttrBox::of(Attrs{-1})},
            {.note = "not 1", .inputs = {x}, .attrs = AttrBox::of(Attrs{0}), .valid = false},
            {.note = "no such axis", .inputs = {x}, .attrs = AttrBox::of(Attrs{3}), .valid = false}};
  }
};

}  // namespace
MINNOW_OP(squeeze, Squeeze);
}  // namespace ops

Tensor squeeze(const Tensor& x, Index axis) { return apply_one(ops::op_squeeze, {x}, ops::Squeeze::Attrs{axis}); }

}  // namespace minnow
