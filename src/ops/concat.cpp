#include "minnow/ops/shape.hpp"
#include "ops/pieces.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct Concat {
  struct Attrs {
    Index axis = 0;
  };
  static constexpr OpDoc kDoc{"concat", "concat(xs, axis) -> y", "the tensors one behind the other along an axis",
                              "NumPy concatenate"};
  static constexpr Saves kSaves{};
  static constexpr bool kStrided = true;

  static Inferred infer(Specs specs, const Attrs& attrs) {
    if (specs.empty()) throw ShapeError("[concat] there must be at least one tensor; got none");
    TensorSpec y = specs[0];
    const Index axis = y.shape.axis(attrs.axis, "concat");
    for (const TensorSpec& spec : specs.subspan(1)) {
      Shape like = spec.shape;
      if (like.rank() == y.shape.rank()) like[axis] = y.shape[axis];
      if (like != y.shape || spec.dtype != y.dtype) {
        throw ShapeError(
            fmt::format("[concat] all tensors must have one type and, but for axis {}, one shape; got {} and "
                        "{}",
                        axis, specs[0].str(), spec.str()));
      }
      y.shape[axis] += spec.shape[axis];
    }
    return {{y}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const Index axis = c.outputs[0].shape().axis(attrs.axis, "concat");
    Index begin = 0;
    for (const Tensor& x : c.inputs) {
      piece(c.outputs[0], axis, begin, x.size(axis)).copy_from(x);
      begin += x.size(axis);
    }
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const Index axis = c.douts[0].shape().axis(attrs.axis, "concat");
    Index begin = 0;
    for (std::size_t i = 0; i < c.specs.size(); ++i) {
      const Index count = c.specs[i].shape[axis];
      if (c.wants(i)) c.dins[i].copy_from(piece(c.douts[0], axis, begin, count));
      begin += count;
    }
  }

  static std::vector<Sample> samples() {
    const auto along = [](Index axis) { return AttrBox::of(Attrs{axis}); };
    const auto numbers = [](const Shape& shape, unsigned salt = 0) { return sample_numbers(shape, -1, 1, salt); };
    return {{.note = "middle axis",
             .inputs = {numbers({3, 2, 5}), numbers({3, 4, 5}, 1), numbers({3, 1, 5}, 2)},
             .attrs = along(1)},
            {.note = "last axis", .inputs = {numbers({3, 2}), numbers({3, 4}, 1)}, .attrs = along(-1)},
            {.note = "one tensor", .inputs = {numbers({3, 2})}, .attrs = along(0)},
            {.note = "one of them empty", .inputs = {numbers({0, 5}), numbers({3, 5}, 1)}, .attrs = along(0)},
            {.note = "large", .inputs = {numbers({60, 300}), numbers({60, 200}, 1)}, .attrs = along(1)},
            {.note = "forty", .inputs = std::vector<Tensor>(40, numbers({2, 3})), .attrs = along(0)},
            {.note = "another width", .inputs = {numbers({3, 2}), numbers({3, 4})}, .attrs = along(0), .valid = false},
            {.note = "another rank", .inputs = {numbers({3, 2}), numbers({3})}, .attrs = along(0), .valid = false},
            {.note = "no such axis", .inputs = {numbers({3, 2})}, .attrs = along(2), .valid = false},
            {.note = "nothing", .inputs = {}, .attrs = along(0), .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs& attrs) { return moving_cost(infer(specs, attrs).outputs[0]); }
};

}  // namespace
MINNOW_OP(concat, Concat);
}  // namespace ops

Tensor concat(std::span<const Tensor> xs, Index axis) {
  return std::move(apply(ops::op_concat, xs, AttrBox::of(ops::Concat::Attrs{axis})).front());
}

}  // namespace minnow
