#include "minnow/ops/shape.hpp"
#include "ops/pieces.hpp"
#include "ops/samples.hpp"
#include "ops/view_op.hpp"

namespace minnow {
namespace ops {
namespace {

struct Unsqueeze : ViewOp {
  struct Attrs {
    Index axis = 0;
  };
  static constexpr OpDoc kDoc{"unsqueeze", "unsqueeze(x, axis) -> y", "x with a new axis of size 1 that becomes `axis`",
                              "NumPy expand_dims"};

  static Index place(const Shape& x, Index axis) {
    Shape longer = x;
    longer.push_back(1);
    return longer.axis(axis, "unsqueeze");
  }
  static Tensor view(const Tensor& x, const Attrs& attrs) { return with_new_axis(x, place(x.shape(), attrs.axis)); }
  static Tensor view_backward(const Tensor& dout, const TensorSpec& input, const Attrs& attrs) {
    Shape strides = dout.strides();
    strides.erase(place(input.shape, attrs.axis));
    return dout.as_strided(input.shape, strides, dout.offset());
  }
  static std::vector<Sample> samples() {
    const Tensor x = sample_numbers({3, 5}, -1, 1);
    return {{.note = "in front", .inputs = {x}, .attrs = AttrBox::of(Attrs{0})},
            {.note = "last", .inputs = {x}, .attrs = AttrBox::of(Attrs{-1})},
            {.note = "of a scalar", .inputs = {sample_numbers({}, 0, 1)}, .attrs = AttrBox::of(Attrs{0})},
            {.note = "no such axis", .inputs = {x}, .attrs = AttrBox::of(Attrs{3}), .valid = false}};
  }
};

}  // namespace
MINNOW_OP(unsqueeze, Unsqueeze);
}  // namespace ops

Tensor unsqueeze(const Tensor& x, Index axis) { return apply_one(ops::op_unsqueeze, {x}, ops::Unsqueeze::Attrs{axis}); }

}  // namespace minnow
