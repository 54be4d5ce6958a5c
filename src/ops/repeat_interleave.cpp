#include "minnow/ops/shape.hpp"
#include "ops/check.hpp"
#include "ops/pieces.hpp"
#include "ops/reduce_to.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct RepeatInterleave {
  struct Attrs {
    Index axis = 0, repeats = 1;
  };
  static constexpr OpDoc kDoc{"repeat_interleave", "repeat_interleave(x, axis, repeats) -> y",
                              "y[i] = x[i div repeats] along an axis: each element several times in a row",
                              "NumPy repeat; how grouped queries share key heads"};
  static constexpr Saves kSaves{};
  static constexpr bool kStrided = true;

  static Inferred infer(Specs specs, const Attrs& attrs) {
    TensorSpec y = specs[0];
    const Index axis = y.shape.axis(attrs.axis, "repeat_interleave");
    if (attrs.repeats < 0 || y.shape.rank() == Shape::kMaxRank) {
      throw ShapeError(
          fmt::format("[repeat_interleave] repeats must be 0 or more and x have at most {} axes; got {} for {}",
                      Shape::kMaxRank - 1, attrs.repeats, y.str()));
    }
    y.shape[axis] = times("repeat_interleave", y.shape[axis], attrs.repeats);
    return {{y}, {}};
  }

  /// x's sizes, or strides, with those of the copies put in behind the axis.
  static Shape with_copies(Shape of, Index axis, Index copies) {
    of.insert(axis + 1, copies);
    return of;
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const Tensor& x = c.inputs[0];
    const Tensor& y = c.outputs[0];
    if (y.numel() == 0) return;
    const Index axis = x.shape().axis(attrs.axis, "repeat_interleave");
    const Shape shape = with_copies(x.shape(), axis, attrs.repeats);
    y.as_strided(shape, shape.contiguous_strides(), y.offset())
        .copy_from(x.as_strided(shape, with_copies(x.strides(), axis, 0), x.offset()));
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const Shape& x = c.specs[0].shape;
    const Index axis = x.axis(attrs.axis, "repeat_interleave");
    const Shape shape = with_copies(x, axis, attrs.repeats);
    const Shape target = with_copies(x, axis, 1);
    sum_to<T>(c.douts[0].as_strided(shape, shape.contiguous_strides(), c.douts[0].offset()),
              c.dins[0].as_strided(target, target.contiguous_strides(), c.dins[0].offset()));
  }

  static std::vector<Sample> samples() {
    const auto with = [](Index axis, Index repeats) { return AttrBox::of(Attrs{axis, repeats}); };
    const Tensor x = sample_numbers({3, 2, 5}, -1, 1);
    return {{.note = "middle", .inputs = {x}, .attrs = with(1, 3)},
            {.note = "last", .inputs = {x}, .attrs = with(-1, 2)},
            {.note = "once", .inputs = {x}, .attrs = with(0, 1)},
            {.note = "never", .inputs = {x}, .attrs = with(0, 0), .smooth = false},
            {.note = "heads", .inputs = {sample_numbers({2, 2, 40, 32}, -1, 1)}, .attrs = with(1, 4)},
            {.note = "negative", .inputs = {x}, .attrs = with(0, -1), .valid = false},
            {.note = "no such axis", .inputs = {x}, .attrs = with(3, 2), .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs& attrs) { return moving_cost(infer(specs, attrs).outputs[0]); }
};

}  // namespace
MINNOW_OP(repeat_interleave, RepeatInterleave);
}  // namespace ops

Tensor repeat_interleave(const Tensor& x, Index axis, Index repeats) {
  return apply_one(ops::op_repeat_interleave, {x}, ops::RepeatInterleave::Attrs{axis, repeats});
}

}  // namespace minnow
