#include "minnow/ops/shape.hpp"
#include "ops/pieces.hpp"
#include "ops/samples.hpp"
#include "ops/view_op.hpp"

namespace minnow {
namespace ops {
namespace {

struct Select : ViewOp {
  struct Attrs {
    Index axis = 0, index = 0;
  };
  static constexpr OpDoc kDoc{"select", "select(x, axis, index) -> y", "x at one place of an axis, without that axis",
                              "PyTorch select"};

  static Tensor view(const Tensor& x, const Attrs& attrs) {
    Shape shape = x.shape();
    Shape strides = x.strides();
    const Index axis = shape.axis(attrs.axis, "select");
    const Index index = attrs.index < 0 ? attrs.index + shape[axis] : attrs.index;
    if (index < 0 || index >= shape[axis]) {
      throw ShapeError(fmt::format("[select] the index must lie inside the axis; got {} for axis {} of {}", attrs.index,
                                   axis, shape.str()));
    }
    const Index offset = x.offset() + index * strides[axis];
    shape.erase(axis);
    strides.erase(axis);
    return x.as_strided(shape, strides, offset);
  }
  static Tensor view_backward(const Tensor& dout, const TensorSpec& input, const Attrs& attrs) {
    Tensor dx = Tensor::zeros(input.shape, input.dtype);
    view(dx, attrs).copy_from(dout);
    return dx;
  }
  static std::vector<Sample> samples() {
    const Tensor x = sample_numbers({3, 4, 5}, -1, 1);
    return {{.note = "last of the middle", .inputs = {x}, .attrs = AttrBox::of(Attrs{1, -1})},
            {.note = "first", .inputs = {x}, .attrs = AttrBox::of(Attrs{0, 0})},
            {.note = "of a row", .inputs = {sample_numbers({4}, 0, 1)}, .attrs = AttrBox::of(Attrs{-1, 2})},
            {.note = "beyond", .inputs = {x}, .attrs = AttrBox::of(Attrs{1, 4}), .valid = false},
            {.note = "before", .inputs = {x}, .attrs = AttrBox::of(Attrs{1, -5}), .valid = false},
            {.note = "no such axis", .inputs = {x}, .attrs = AttrBox::of(Attrs{3, 0}), .valid = false}};
  }
};

}  // namespace
MINNOW_OP(select, Select);
}  // namespace ops

Tensor select(const Tensor& x, Index axis, Index index) {
  return apply_one(ops::op_select, {x}, ops::Select::Attrs{axis, index});
}

}  // namespace minnow
