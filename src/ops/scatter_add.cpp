#include "minnow/ops/shape.hpp"
#include "ops/indexed_lines.hpp"
#include "ops/pieces.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct ScatterAdd {
  struct Attrs {
    Index axis = 0;
  };
  static constexpr OpDoc kDoc{"scatter_add", "scatter_add(x, axis, index, source) -> y",
                              "y = x; then y[i, index[i, j, k], k] += source[i, j, k] for axis 1",
                              "PyTorch scatter_add"};
  static constexpr Saves kSaves{.inputs = 0b010};

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_index("scatter_add", specs[0], specs[1], specs[0].shape.axis(attrs.axis, "scatter_add"));
    check_floating("scatter_add", specs[2]);
    bool fits = specs[2].shape.rank() == specs[1].shape.rank();
    for (Index i = 0; i < specs[1].shape.rank() && fits; ++i) fits = specs[1].shape[i] <= specs[2].shape[i];
    if (!fits) {
      throw ShapeError(fmt::format("[scatter_add] source must be at least as large as the index; got {} for {}",
                                   specs[2].shape.str(), specs[1].shape.str()));
    }
    return {{specs[0]}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const Index axis = c.inputs[0].shape().axis(attrs.axis, "scatter_add");
    check_places("scatter_add", c.inputs[1], c.inputs[0].size(axis));
    c.outputs[0].copy_from(c.inputs[0]);
    T* y = c.outputs[0].mutable_data<T>();
    const T* source = c.inputs[2].data<T>();
    for_each_indexed(c.inputs[1], axis, c.outputs[0].strides(), c.inputs[2].strides(),
                     [&](Index at_y, Index at_source) { y[at_y] += source[at_source]; });
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const Index axis = c.specs[0].shape.axis(attrs.axis, "scatter_add");
    if (c.wants(0)) c.dins[0].copy_from(c.douts[0]);
    if (!c.wants(2)) return;
    c.dins[2].fill(0);  // where source is larger than the index
    T* dsource = c.dins[2].mutable_data<T>();
    const T* dout = c.douts[0].data<T>();
    for_each_indexed(c.inputs[1], axis, c.douts[0].strides(), c.dins[2].strides(),
                     [&](Index at_y, Index at_source) { dsource[at_source] = dout[at_y]; });
  }

  static std::vector<Sample> samples() {
    const auto along = [](Index axis) { return AttrBox::of(Attrs{axis}); };
    const Tensor x = sample_numbers({3, 4}, -1, 1);
    const Tensor source = sample_numbers({3, 6}, -1, 1, 1);
    return {{.note = "repeated", .inputs = {x, sample_ids({3, 6}, 0, 4), source}, .attrs = along(1)},
            {.note = "a part of source, i32",
             .inputs = {x, sample_ids({2, 3}, 0, 3).to(DType::i32), source},
             .attrs = along(0)},
            {.note = "three axes",
             .inputs = {sample_numbers({3, 7, 30}, -1, 1), sample_ids({3, 90, 30}, 0, 7),
                        sample_numbers({3, 90, 30}, -1, 1, 1)},
             .attrs = along(1)},
            {.note = "nothing", .inputs = {x, sample_ids({3, 0}, 0, 4), source}, .attrs = along(1)},
            {.note = "too large",
             .inputs = {x, Tensor::full({3, 6}, 4, DType::i64), source},
             .attrs = along(1),
             .valid = false},
            {.note = "source too small",
             .inputs = {x, sample_ids({3, 7}, 0, 4), source},
             .attrs = along(1),
             .valid = false},
            {.note = "over another axis",
             .inputs = {x, sample_ids({4, 6}, 0, 4), source},
             .attrs = along(1),
             .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[1].shape.numel());
    Cost all = moving_cost(specs[0]);
    all.flops = n;
    all.bytes += n * static_cast<double>(size_of(specs[0].dtype) + size_of(specs[1].dtype));
    return all;
  }
};

}  // namespace
MINNOW_OP(scatter_add, ScatterAdd);
}  // namespace ops

Tensor scatter_add(const Tensor& x, Index axis, const Tensor& index, const Tensor& source) {
  return apply_one(ops::op_scatter_add, {x, index, source}, ops::ScatterAdd::Attrs{axis});
}

}  // namespace minnow
