#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/ops/shape.hpp"
#include "ops/check.hpp"
#include "ops/samples.hpp"
#include "ops/view_op.hpp"

namespace minnow {
namespace ops {
namespace {

struct Permute : ViewOp {
  struct Attrs {
    Shape dims;
  };
  static constexpr OpDoc kDoc{"permute", "permute(x, dims) -> y", "axis k of y is axis dims[k] of x",
                              "NumPy transpose"};

  static Tensor view(const Tensor& x, const Attrs& attrs) {
    Shape shape, strides;
    unsigned seen = 0;
    for (Index dim : attrs.dims) {
      if (attrs.dims.rank() == x.rank() && dim >= -x.rank() && dim < x.rank()) {
        const Index axis = x.shape().axis(dim, "permute");
        seen |= 1U << axis;
        shape.push_back(x.shape()[axis]);
        strides.push_back(x.strides()[axis]);
      }
    }
    if (attrs.dims.rank() != x.rank() || seen != (1U << x.rank()) - 1) {
      throw ShapeError(fmt::format("[permute] dims must name every axis once; got {} for shape {}", attrs.dims.str(),
                                   x.shape().str()));
    }
    return x.as_strided(shape, strides, x.offset());
  }
  static Tensor view_backward(const Tensor& dout, const TensorSpec& input, const Attrs& attrs) {
    Shape inverse = attrs.dims;
    for (Index axis = 0; axis < attrs.dims.rank(); ++axis)
      inverse[input.shape.axis(attrs.dims[axis], "permute")] = axis;
    return view(dout, {inverse});
  }
  static std::vector<Sample> samples() {
    const auto by = [](const Shape& dims) { return AttrBox::of(Attrs{dims}); };
    return {
        {.note = "three axes turned", .inputs = {sample_numbers({2, 3, 4}, -1, 1)}, .attrs = by({2, 0, 1})},
        {.note = "negative axes", .inputs = {sample_numbers({2, 3}, -1, 1)}, .attrs = by({-1, -2})},
        {.note = "scalar", .inputs = {sample_numbers({}, -1, 1)}, .attrs = by({})},
        {.note = "an axis twice", .inputs = {sample_numbers({2, 3}, -1, 1)}, .attrs = by({0, 0}), .valid = false},
        {.note = "an axis missing", .inputs = {sample_numbers({2, 3}, -1, 1)}, .attrs = by({1}), .valid = false},
        {.note = "an axis too many", .inputs = {sample_numbers({2, 3}, -1, 1)}, .attrs = by({0, 2}), .valid = false}};
  }
};

}  // namespace
MINNOW_OP(permute, Permute);
}  // namespace ops

Tensor permute(const Tensor& x, const Shape& dims) {
  return apply_one(ops::op_permute, {x}, ops::Permute::Attrs{dims});
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
  ops::check_given("transpose", x);
  Shape dims = x.shape();
  for (Index axis = 0; axis < dims.rank(); ++axis) dims[axis] = axis;
  std::swap(dims[x.shape().axis(axis0, "transpose")], dims[x.shape().axis(axis1, "transpose")]);
  return permute(x, dims);
}

}  // namespace minnow
