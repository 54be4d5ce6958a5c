#include "minnow/ops/shape.hpp"
#include "ops/pieces.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

/// A copy and not a view: strides below 0 would reach kernels that know none.
struct Flip {
  struct Attrs {
    Shape axes;
  };
  static constexpr OpDoc kDoc{"flip", "flip(x, axes) -> y", "the elements in reverse order along the axes",
                              "NumPy flip"};
  static constexpr Saves kSaves{};
  static constexpr bool kStrided = true;

  static Inferred infer(Specs specs, const Attrs& attrs) {
    unsigned seen = 0;
    for (Index axis : attrs.axes) {
      const unsigned bit = 1U << specs[0].shape.axis(axis, "flip");
      if ((seen & bit) != 0) {
        throw ShapeError(
            fmt::format("[flip] an axis must stand once; got {} for {}", attrs.axes.str(), specs[0].str()));
      }
      seen |= bit;
    }
    return {{specs[0]}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    c.outputs[0].copy_from(flipped(c.inputs[0], attrs));
  }
  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    c.dins[0].copy_from(flipped(c.douts[0], attrs));
  }

  static std::vector<Sample> samples() {
    const Tensor x = sample_numbers({3, 4, 5}, -1, 1);
    return {{.note = "two axes", .inputs = {x}, .attrs = AttrBox::of(Attrs{{0, 2}})},
            {.note = "last", .inputs = {x}, .attrs = AttrBox::of(Attrs{{-1}})},
            {.note = "none", .inputs = {x}, .attrs = AttrBox::of(Attrs{})},
            {.note = "empty", .inputs = {sample_numbers({2, 0}, 0, 1)}, .attrs = AttrBox::of(Attrs{{1}})},
            {.note = "large", .inputs = {sample_numbers({90, 300}, -1, 1)}, .attrs = AttrBox::of(Attrs{{0, 1}})},
            {.note = "twice", .inputs = {x}, .attrs = AttrBox::of(Attrs{{0, -3}}), .valid = false},
            {.note = "no such axis", .inputs = {x}, .attrs = AttrBox::of(Attrs{{3}}), .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs&) { return moving_cost(specs[0]); }

 private:
  static Tensor flipped(const Tensor& x, const Attrs& attrs) {
    if (x.numel() == 0) return x;
    Shape strides = x.strides();
    Index offset = x.offset();
    for (Index given : attrs.axes) {
      const Index axis = x.shape().axis(given, "flip");
      offset += (x.shape()[axis] - 1) * strides[axis];
      strides[axis] = -strides[axis];
    }
    return x.as_strided(x.shape(), strides, offset);
  }
};

}  // namespace
MINNOW_OP(flip, Flip);
}  // namespace ops

Tensor flip(const Tensor& x, const Shape& axes) { return apply_one(ops::op_flip, {x}, ops::Flip::Attrs{axes}); }

}  // namespace minnow
