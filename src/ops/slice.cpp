#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/ops/shape.hpp"
#include "ops/samples.hpp"
#include "ops/view_op.hpp"

namespace minnow {
namespace ops {
namespace {

struct Slice : ViewOp {
  struct Attrs {
    Index axis = 0, begin = 0, end = 0, step = 1;
  };
  static constexpr OpDoc kDoc{"slice", "slice(x, axis, begin, end, step) -> y",
                              "elements begin, begin + step, ... < end of one axis", "NumPy basic indexing"};

  static Tensor view(const Tensor& x, const Attrs& attrs) {
    const Index axis = x.shape().axis(attrs.axis, "slice");
    const Index size = x.shape()[axis];
    const Index begin = attrs.begin < 0 ? attrs.begin + size : attrs.begin;
    const Index end = attrs.end < 0 ? attrs.end + size : attrs.end;
    if (begin < 0 || end > size || begin > end || attrs.step < 1) {
      throw ShapeError(fmt::format(
          "[slice] the range must lie inside the axis and the step be 1 or more; got [{}, {}) step {} of axis "
          "{} of {}",
          attrs.begin, attrs.end, attrs.step, attrs.axis, x.shape().str()));
    }
    Shape shape = x.shape();
    Shape strides = x.strides();
    const Index reach = end - begin;
    shape[axis] = reach / attrs.step + (reach % attrs.step != 0 ? 1 : 0);
    if (shape[axis] > 1) strides[axis] *= attrs.step;  // a step beyond the range is never taken
    return x.as_strided(shape, strides, x.offset() + begin * x.strides()[axis]);
  }
  static Tensor view_backward(const Tensor& dout, const TensorSpec& input, const Attrs& attrs) {
    Tensor dx = Tensor::zeros(input.shape, input.dtype);
    view(dx, attrs).copy_from(dout);
    return dx;
  }
  static std::vector<Sample> samples() {
    const auto of = [](Index axis, Index begin, Index end, Index step) {
      return AttrBox::of(Attrs{axis, begin, end, step});
    };
    const Tensor x = sample_numbers({4, 5, 2}, -1, 1);
    return {{.note = "middle", .inputs = {x}, .attrs = of(1, 1, 4, 1)},
            {.note = "negative bounds", .inputs = {x}, .attrs = of(-2, -4, -1, 1)},
            {.note = "every second", .inputs = {x}, .attrs = of(0, 0, 4, 2)},
            {.note = "nothing", .inputs = {x}, .attrs = of(0, 2, 2, 1)},
            {.note = "past the end", .inputs = {x}, .attrs = of(0, 0, 5, 1), .valid = false},
            {.note = "backwards", .inputs = {x}, .attrs = of(0, 3, 1, 1), .valid = false},
            {.note = "step 0", .inputs = {x}, .attrs = of(0, 0, 1, 0), .valid = false},
            {.note = "no such axis", .inputs = {x}, .attrs = of(3, 0, 1, 1), .valid = false}};
  }
};

}  // namespace
MINNOW_OP(slice, Slice);
}  // namespace ops

Tensor slice(const Tensor& x, Index axis, Index begin, Index end, Index step) {
  return apply_one(ops::op_slice, {x}, ops::Slice::Attrs{axis, begin, end, step});
}

}  // namespace minnow
