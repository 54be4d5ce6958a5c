#include "minnow/ops/shape.hpp"
#include "ops/indexed_lines.hpp"
#include "ops/pieces.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct Gather {
  struct Attrs {
    Index axis = 0;
  };
  static constexpr OpDoc kDoc{"gather", "gather(x, axis, index) -> y",
                              "y[i, j, k] = x[i, index[i, j, k], k] for axis 1",
                              "PyTorch gather; NumPy take_along_axis"};
  static constexpr Saves kSaves{.inputs = 0b10};

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_index("gather", specs[0], specs[1], specs[0].shape.axis(attrs.axis, "gather"));
    return {{{specs[1].shape, specs[0].dtype}}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const Index axis = c.inputs[0].shape().axis(attrs.axis, "gather");
    check_places("gather", c.inputs[1], c.inputs[0].size(axis));
    const T* x = c.inputs[0].data<T>();
    T* y = c.outputs[0].mutable_data<T>();
    for_each_indexed(c.inputs[1], axis, c.inputs[0].strides(), c.outputs[0].strides(),
                     [&](Index at_x, Index at_y) { y[at_y] = x[at_x]; });
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    if (!c.wants(0)) return;
    const Index axis = c.specs[0].shape.axis(attrs.axis, "gather");
    c.dins[0].fill(0);
    T* dx = c.dins[0].mutable_data<T>();
    const T* dout = c.douts[0].data<T>();
    for_each_indexed(c.inputs[1], axis, c.dins[0].strides(), c.douts[0].strides(),
                     [&](Index at_x, Index at_y) { dx[at_x] += dout[at_y]; });
  }

  static std::vector<Sample> samples() {
    const auto along = [](Index axis) { return AttrBox::of(Attrs{axis}); };
    const Tensor x = sample_numbers({3, 4, 5}, -1, 1);
    return {
        {.note = "middle, repeated", .inputs = {x, sample_ids({3, 6, 5}, 0, 4)}, .attrs = along(1)},
        {.note = "last, i32", .inputs = {x, sample_ids({3, 4, 2}, 0, 5).to(DType::i32)}, .attrs = along(-1)},
        {.note = "a part of the other axes", .inputs = {x, sample_ids({7, 2, 3}, 0, 3)}, .attrs = along(0)},
        {.note = "one axis", .inputs = {sample_numbers({9}, -1, 1), sample_ids({4}, 0, 9)}, .attrs = along(0)},
        {.note = "nothing", .inputs = {x, sample_ids({3, 0, 5}, 0, 4)}, .attrs = along(1)},
        {.note = "large",
         .inputs = {sample_numbers({40, 30, 17}, -1, 1), sample_ids({40, 50, 17}, 0, 30)},
         .attrs = along(1)},
        {.note = "too large", .inputs = {x, Tensor::full({3, 1, 5}, 4, DType::i64)}, .attrs = along(1), .valid = false},
        {.note = "negative", .inputs = {x, Tensor::full({3, 1, 5}, -1, DType::i64)}, .attrs = along(1), .valid = false},
        {.note = "over another axis", .inputs = {x, sample_ids({4, 1, 5}, 0, 4)}, .attrs = along(1), .valid = false},
        {.note = "another rank", .inputs = {x, sample_ids({3}, 0, 4)}, .attrs = along(1), .valid = false},
        {.note = "numbers", .inputs = {x, x}, .attrs = along(1), .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs&) { return moving_cost({specs[1].shape, specs[0].dtype}); }
};

}  // namespace
MINNOW_OP(gather, Gather);
}  // namespace ops

Tensor gather(const Tensor& x, Index axis, const Tensor& index) {
  return apply_one(ops::op_gather, {x, index}, ops::Gather::Attrs{axis});
}

}  // namespace minnow
