#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/ops/shape.hpp"
#include "ops/reduce_to.hpp"
#include "ops/samples.hpp"
#include "ops/view_op.hpp"

namespace minnow {
namespace ops {
namespace {

struct Expand : ViewOp {
  struct Attrs {
    Shape shape;
  };
  static constexpr OpDoc kDoc{"expand", "expand(x, shape) -> y", "axes of size 1 repeated, leading axes added",
                              "NumPy broadcast_to"};

  static Tensor view(const Tensor& x, const Attrs& attrs) {
    if (attrs.shape.rank() < x.rank() || broadcast(x.shape(), attrs.shape, "expand") != attrs.shape) {
      throw ShapeError(
          fmt::format("[expand] x must broadcast to the shape; got {} to {}", x.shape().str(), attrs.shape.str()));
    }
    return x.as_strided(attrs.shape, broadcast_strides(x.shape(), x.strides(), attrs.shape), x.offset());
  }
  static Tensor view_backward(const Tensor& dout, const TensorSpec& input, const Attrs&) {
    Tensor dx = Tensor::empty(input.shape, input.dtype);
    input.dtype == DType::f64 ? sum_to<double>(dout, dx) : sum_to<float>(dout, dx);
    return dx;
  }
  static std::vector<Sample> samples() {
    const auto to = [](const Shape& shape) { return AttrBox::of(Attrs{shape}); };
    return {{.note = "a leading axis", .inputs = {sample_numbers({3}, -1, 1)}, .attrs = to({2, 3})},
            {.note = "an inner axis", .inputs = {sample_numbers({2, 1, 3}, -1, 1)}, .attrs = to({2, 4, 3})},
            {.note = "a scalar", .inputs = {sample_numbers({}, -1, 1)}, .attrs = to({2, 2})},
            {.note = "many", .inputs = {sample_numbers({1, 100}, -1, 1)}, .attrs = to({300, 100})},
            {.note = "sizes 3 and 4", .inputs = {sample_numbers({3}, -1, 1)}, .attrs = to({2, 4}), .valid = false},
            {.note = "fewer axes", .inputs = {sample_numbers({1, 3}, -1, 1)}, .attrs = to({3}), .valid = false}};
  }
};

}  // namespace
MINNOW_OP(expand, Expand);
}  // namespace ops

Tensor expand(const Tensor& x, const Shape& shape) { return apply_one(ops::op_expand, {x}, ops::Expand::Attrs{shape}); }

}  // namespace minnow
