#include "minnow/ops/shape.hpp"
#include "ops/check.hpp"
#include "ops/pieces.hpp"
#include "ops/reduce_to.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct Repeat {
  struct Attrs {
    Shape repeats;
  };
  static constexpr OpDoc kDoc{"repeat", "repeat(x, repeats) -> y",
                              "copies of x side by side, repeats[k] of them along axis k; leading axes are added",
                              "NumPy tile"};
  static constexpr Saves kSaves{};
  static constexpr bool kStrided = true;

  /// Axis k of y in two: which copy, and where in it. Axes that are not repeated stay one.
  struct Tiles {
    Shape y, x, x_strides;  // y's sizes; x's with 1 for the copies; x's strides with 0 for the copies
  };

  static Inferred infer(Specs specs, const Attrs& attrs) {
    const Shape& x = specs[0].shape;
    const Index added = attrs.repeats.rank() - x.rank();
    bool fits = added >= 0;
    Index split = 0;
    Shape y = attrs.repeats;
    for (Index axis = 0; axis < y.rank() && fits; ++axis) {
      fits = attrs.repeats[axis] >= 0;
      if (axis >= added && attrs.repeats[axis] != 1) ++split;
      if (axis >= added) y[axis] = times("repeat", y[axis], x[axis - added]);
    }
    if (!fits || y.rank() + split > Shape::kMaxRank) {
      throw ShapeError(fmt::format(
          "[repeat] there must be a repeat from 0 on for every axis, and with one axis more for each that is "
          "repeated at most {} axes; got {} for {}",
          Shape::kMaxRank, attrs.repeats.str(), x.str()));
    }
    return {{{y, specs[0].dtype}}, {}};
  }

  static Tiles tiles(const Shape& x, const Shape& x_strides, const Attrs& attrs) {
    Tiles made;
    const Index added = attrs.repeats.rank() - x.rank();
    for (Index axis = 0; axis < attrs.repeats.rank(); ++axis) {
      if (axis < added || attrs.repeats[axis] != 1) {
        made.y.push_back(attrs.repeats[axis]);
        made.x.push_back(1);
        made.x_strides.push_back(0);
      }
      if (axis >= added) {
        made.y.push_back(x[axis - added]);
        made.x.push_back(x[axis - added]);
        made.x_strides.push_back(x_strides[axis - added]);
      }
    }
    return made;
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const Tensor& x = c.inputs[0];
    const Tensor& y = c.outputs[0];
    if (y.numel() == 0) return;
    const Tiles t = tiles(x.shape(), x.strides(), attrs);
    y.as_strided(t.y, t.y.contiguous_strides(), y.offset()).copy_from(x.as_strided(t.y, t.x_strides, x.offset()));
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const Shape& x = c.specs[0].shape;
    const Tiles t = tiles(x, x.contiguous_strides(), attrs);
    sum_to<T>(c.douts[0].as_strided(t.y, t.y.contiguous_strides(), c.douts[0].offset()),
              c.dins[0].as_strided(t.x, t.x.contiguous_strides(), c.dins[0].offset()));
  }

  static std::vector<Sample> samples() {
    const auto times = [](const Shape& repeats) { return AttrBox::of(Attrs{repeats}); };
    const Tensor x = sample_numbers({3, 4}, -1, 1);
    return {{.note = "an axis added", .inputs = {x}, .attrs = times({2, 1, 3})},
            {.note = "both axes", .inputs = {x}, .attrs = times({2, 3})},
            {.note = "once", .inputs = {x}, .attrs = times({1, 1})},
            {.note = "a scalar", .inputs = {sample_numbers({}, 0, 1)}, .attrs = times({5})},
            {.note = "no copies", .inputs = {x}, .attrs = times({0, 1}), .smooth = false},
            {.note = "large", .inputs = {sample_numbers({40, 100}, -1, 1)}, .attrs = times({3, 5})},
            {.note = "an axis too few", .inputs = {x}, .attrs = times({2}), .valid = false},
            {.note = "negative", .inputs = {x}, .attrs = times({2, -1}), .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs& attrs) { return moving_cost(infer(specs, attrs).outputs[0]); }
};

}  // namespace
MINNOW_OP(repeat, Repeat);
}  // namespace ops

Tensor repeat(const Tensor& x, const Shape& repeats) {
  return apply_one(ops::op_repeat, {x}, ops::Repeat::Attrs{repeats});
}

}  // namespace minnow
