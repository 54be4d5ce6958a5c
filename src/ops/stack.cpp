#include "minnow/ops/shape.hpp"
#include "ops/pieces.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct Stack {
  struct Attrs {
    Index axis = 0;
  };
  static constexpr OpDoc kDoc{"stack", "stack(xs, axis) -> y", "tensors of one shape along a new axis", "NumPy stack"};
  static constexpr Saves kSaves{};
  static constexpr bool kStrided = true;

  static Inferred infer(Specs specs, const Attrs& attrs) {
    if (specs.empty()) throw ShapeError("[stack] there must be at least one tensor; got none");
    for (const TensorSpec& spec : specs) {
      if (spec != specs[0]) {
        throw ShapeError(
            fmt::format("[stack] all tensors must have one type and shape; got {} and {}", specs[0].str(), spec.str()));
      }
    }
    Shape y = specs[0].shape;
    y.push_back(1);
    const Index axis = y.axis(attrs.axis, "stack");
    y = specs[0].shape;
    y.insert(axis, static_cast<Index>(specs.size()));
    return {{{y, specs[0].dtype}}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const Index axis = c.outputs[0].shape().axis(attrs.axis, "stack");
    for (std::size_t i = 0; i < c.inputs.size(); ++i) {
      piece(c.outputs[0], axis, static_cast<Index>(i), 1).copy_from(with_new_axis(c.inputs[i], axis));
    }
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const Index axis = c.douts[0].shape().axis(attrs.axis, "stack");
    for (std::size_t i = 0; i < c.specs.size(); ++i) {
      if (c.wants(i)) with_new_axis(c.dins[i], axis).copy_from(piece(c.douts[0], axis, static_cast<Index>(i), 1));
    }
  }

  static std::vector<Sample> samples() {
    const auto along = [](Index axis) { return AttrBox::of(Attrs{axis}); };
    const Tensor a = sample_numbers({3, 4}, -1, 1);
    const Tensor b = sample_numbers({3, 4}, -1, 1, 1);
    return {{.note = "in front", .inputs = {a, b}, .attrs = along(0)},
            {.note = "last", .inputs = {a, b, a}, .attrs = along(-1)},
            {.note = "between", .inputs = {a, b}, .attrs = along(1)},
            {.note = "scalars", .inputs = {sample_numbers({}, 0, 1), sample_numbers({}, 0, 1, 1)}, .attrs = along(0)},
            {.note = "empty", .inputs = {sample_numbers({0, 2}, 0, 1)}, .attrs = along(1)},
            {.note = "another shape", .inputs = {a, sample_numbers({4, 3}, 0, 1)}, .attrs = along(0), .valid = false},
            {.note = "no such axis", .inputs = {a, b}, .attrs = along(3), .valid = false},
            {.note = "nothing", .inputs = {}, .attrs = along(0), .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs& attrs) { return moving_cost(infer(specs, attrs).outputs[0]); }
};

}  // namespace
MINNOW_OP(stack, Stack);
}  // namespace ops

Tensor stack(std::span<const Tensor> xs, Index axis) {
  return std::move(apply(ops::op_stack, xs, AttrBox::of(ops::Stack::Attrs{axis})).front());
}

}  // namespace minnow
