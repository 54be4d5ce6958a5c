#pragma once
/// @file
/// What the operations sum and mean share.

#include "ops/reduction.hpp"

namespace minnow::ops {

/// y = sum of x over the axes, divided by the number of elements summed when F::kMean. F brings kDoc and kMean.
template <class F>
struct SumOver {
  using Attrs = ReduceAttrs;
  static constexpr bool kStrided = true;
  static constexpr Saves kSaves{};

  static AxisSplit split(const Shape& x, const Attrs& attrs) {
    return {F::kDoc.name.data(), x, attrs.axes, attrs.keepdim};
  }

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_floating(F::kDoc.name, specs[0]);
    return {{{split(specs[0].shape, attrs).result, specs[0].dtype}}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const AxisSplit axes = split(c.inputs[0].shape(), attrs);
    sum_to<T>(c.inputs[0], with_shape(c.outputs[0], axes.kept), divisor(axes));
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const AxisSplit axes = split(c.specs[0].shape, attrs);
    Tensor dout = c.douts[0];
    if (F::kMean) {
      dout = dout.clone();
      T* d = dout.mutable_data<T>();
      for (Index i = 0; i < dout.numel(); ++i) d[i] = static_cast<T>(static_cast<double>(d[i]) / divisor(axes));
    }
    const Shape& shape = c.specs[0].shape;
    const Shape strides = broadcast_strides(axes.kept, axes.kept.contiguous_strides(), shape);
    c.dins[0].copy_from(dout.as_strided(shape, strides, dout.offset()));
  }

  static std::vector<Sample> samples() {
    std::vector<Sample> made = reduction_samples(-2, 2);
    made.push_back({.note = "cut into slabs, one result",
                    .inputs = {sample_numbers({300, 700}, -1, 1)},
                    .attrs = AttrBox::of(ReduceAttrs{})});
    made.push_back({.note = "cut into slabs, few results",
                    .inputs = {sample_numbers({3000, 70}, -1, 1)},
                    .attrs = AttrBox::of(ReduceAttrs{Axes{0}})});
    made.push_back({.note = "nothing to add",
                    .inputs = {sample_numbers({0, 3}, -1, 1)},
                    .attrs = AttrBox::of(ReduceAttrs{Axes{0}}),
                    .smooth = false});
    return made;
  }

  static Cost cost(Specs specs, const Attrs&) { return reduction_cost(specs); }

 private:
  static double divisor(const AxisSplit& axes) { return F::kMean ? static_cast<double>(axes.width) : 1.0; }
  static Tensor with_shape(const Tensor& x, const Shape& shape) {
    return x.as_strided(shape, shape.contiguous_strides(), x.offset());
  }
};

}  // namespace minnow::ops
