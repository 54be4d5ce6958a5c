#include <fmt/format.h>

#include "minnow/ops/elementwise.hpp"
#include "ops/elementwise.hpp"

namespace minnow {
namespace ops {
namespace {

/// Recorded as a view, since it computes nothing: so it takes bf16, which no arithmetic takes.
struct Cast {
  using Attrs = DType;
  static constexpr OpDoc kDoc{"cast", "cast(x, dtype) -> y", "y = x rounded to nearest even in another type",
                              "IEEE 754, roundTiesToEven"};
  static Tensor view(const Tensor& x, DType dtype) {
    if (!is_floating(x.dtype()) || !is_floating(dtype)) {
      throw ShapeError(fmt::format("[cast] both types must be floating; got {} to {}. Hint: Tensor::to converts ids",
                                   x.spec().str(), name_of(dtype)));
    }
    return x.to(dtype);
  }
  static Tensor view_backward(const Tensor& dout, const TensorSpec& input, DType) { return dout.to(input.dtype); }

  static std::vector<Sample> samples() {
    std::vector<Sample> made = unary_samples(-2, 2, AttrBox::of(DType::f64));
    made.push_back({.note = "to f32",
                    .inputs = {sample_numbers({3, 5}, -2, 2)},
                    .attrs = AttrBox::of(DType::f32),
                    .smooth = false});  // differences see the rounding
    made.push_back({.note = "to bf16",
                    .inputs = {sample_numbers({3, 5}, -2, 2)},
                    .attrs = AttrBox::of(DType::bf16),
                    .smooth = false});
    made.push_back(
        {.note = "ids", .inputs = {sample_ids({3}, 0, 9)}, .attrs = AttrBox::of(DType::f32), .valid = false});
    return made;
  }
  static Cost cost(Specs specs, DType dtype) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {0, n * static_cast<double>(size_of(specs[0].dtype) + size_of(dtype))};
  }
};

}  // namespace
MINNOW_OP(cast, Cast);
}  // namespace ops

Tensor cast(const Tensor& x, DType dtype) { return apply_one(ops::op_cast, {x}, dtype); }

}  // namespace minnow
