#include "minnow/ops/shape.hpp"
#include "ops/pieces.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct Roll {
  struct Attrs {
    Shape shifts, axes;
  };
  static constexpr OpDoc kDoc{"roll", "roll(x, shifts, axes) -> y",
                              "y[(i + shift) mod n] = x[i] along each of the axes", "NumPy roll"};
  static constexpr Saves kSaves{};
  static constexpr bool kStrided = true;

  static Inferred infer(Specs specs, const Attrs& attrs) {
    (void)shifts_of(specs[0].shape, attrs);
    return {{specs[0]}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    move(c.inputs[0], c.outputs[0], shifts_of(c.inputs[0].shape(), attrs), 0);
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    Shape back = shifts_of(c.specs[0].shape, attrs);
    for (Index axis = 0; axis < back.rank(); ++axis) {
      if (back[axis] != 0) back[axis] = c.specs[0].shape[axis] - back[axis];
    }
    move(c.douts[0], c.dins[0], back, 0);
  }

  static std::vector<Sample> samples() {
    const auto by = [](const Shape& shifts, const Shape& axes) { return AttrBox::of(Attrs{shifts, axes}); };
    const Tensor x = sample_numbers({3, 4, 5}, -1, 1);
    return {{.note = "one axis", .inputs = {x}, .attrs = by({2}, {1})},
            {.note = "two axes, backwards and round", .inputs = {x}, .attrs = by({-1, 13}, {0, 2})},
            {.note = "one axis twice", .inputs = {x}, .attrs = by({1, 2}, {-1, 2})},
            {.note = "by nothing", .inputs = {x}, .attrs = by({4}, {1})},
            {.note = "empty", .inputs = {sample_numbers({2, 0}, 0, 1)}, .attrs = by({1, 1}, {0, 1})},
            {.note = "large", .inputs = {sample_numbers({90, 300}, -1, 1)}, .attrs = by({31, -7}, {0, 1})},
            {.note = "a shift too few", .inputs = {x}, .attrs = by({1}, {0, 1}), .valid = false},
            {.note = "no such axis", .inputs = {x}, .attrs = by({1}, {3}), .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs&) { return moving_cost(specs[0]); }

 private:
  /// @return the shift of every axis, in [0, size).
  static Shape shifts_of(const Shape& x, const Attrs& attrs) {
    if (attrs.shifts.rank() != attrs.axes.rank()) {
      throw ShapeError(fmt::format("[roll] there must be a shift for every axis; got {} for {}", attrs.shifts.str(),
                                   attrs.axes.str()));
    }
    Shape all = x;
    for (Index axis = 0; axis < x.rank(); ++axis) all[axis] = 0;
    for (Index i = 0; i < attrs.axes.rank(); ++i) {
      const Index axis = x.axis(attrs.axes[i], "roll");
      if (x[axis] > 0) all[axis] = ((all[axis] + attrs.shifts[i]) % x[axis] + x[axis]) % x[axis];
    }
    return all;
  }

  /// Copies both ends of each axis that is shifted, one axis after the other.
  static void move(const Tensor& from, Tensor to, const Shape& shifts, Index axis) {
    while (axis < from.rank() && shifts[axis] == 0) ++axis;
    if (axis == from.rank()) {
      to.copy_from(from);
      return;
    }
    const Index shift = shifts[axis];
    const Index rest = from.shape()[axis] - shift;
    move(piece(from, axis, 0, rest), piece(to, axis, shift, rest), shifts, axis + 1);
    move(piece(from, axis, rest, shift), piece(to, axis, 0, shift), shifts, axis + 1);
  }
};

}  // namespace
MINNOW_OP(roll, Roll);
}  // namespace ops

Tensor roll(const Tensor& x, const Shape& shifts, const Shape& axes) {
  return apply_one(ops::op_roll, {x}, ops::Roll::Attrs{shifts, axes});
}

}  // namespace minnow
