#pragma once
/// @file
/// Runs row kernels (softmax and its kin) along any axis: other axes than the last are brought to the end and back.

#include <limits>

#include "minnow/autograd/op.hpp"
#include "ops/samples.hpp"

namespace minnow::ops {

struct AxisAttrs {
  Index axis = -1;
};

/// y = f along an axis, with backward made of y alone. F brings kDoc and
///   template <class T> static constexpr auto kForward, kBackward;  // kernels with the arguments of softmax's
template <class F>
struct SoftmaxLike {
  using Attrs = AxisAttrs;
  static constexpr Saves kSaves{.outputs = 1};
  static constexpr bool kAddsNatively = true;

  static Inferred infer(Specs specs, const Attrs& attrs) {
    (void)specs[0].shape.axis(attrs.axis, F::kDoc.name.data());
    return {{specs[0]}, {}};
  }
  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const Tensor x = axis_last(c.inputs[0], attrs).contiguous();
    Tensor target = axis_last(c.outputs[0], attrs);
    Tensor y = target.is_contiguous() ? target : Tensor::empty(target.shape(), dtype_of<T>);
    F::template kForward<T>(y.mutable_data<T>(), x.data<T>(), rows(x), x.size(-1));
    if (!target.is_contiguous()) target.copy_from(y);
  }
  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const Tensor y = axis_last(c.outputs[0], attrs).contiguous();
    const Tensor dout = axis_last(c.douts[0], attrs).contiguous();
    Tensor target = axis_last(c.dins[0], attrs);
    Tensor dx = target.is_contiguous() ? target : target.clone();
    F::template kBackward<T>(dx.mutable_data<T>(), y.data<T>(), dout.data<T>(), rows(y), y.size(-1), c.add[0] != 0);
    if (!target.is_contiguous()) target.copy_from(dx);
  }
  static std::vector<Sample> samples() {
    const auto along = [](Index axis) { return AttrBox::of(Attrs{axis}); };
    Tensor masked = sample_numbers({4, 6}, -3, 3);
    for (Index i : {0, 3, 8, 12, 13, 14, 15, 16, 17})
      masked.mutable_data<double>()[i] = -std::numeric_limits<double>::infinity();
    return {{.note = "last axis", .inputs = {sample_numbers({3, 7}, -3, 3)}, .attrs = along(-1)},
            {.note = "first axis", .inputs = {sample_numbers({5, 2, 3}, -3, 3)}, .attrs = along(0)},
            {.note = "middle axis", .inputs = {sample_numbers({2, 9, 3}, -3, 3)}, .attrs = along(1)},
            {.note = "one class", .inputs = {sample_numbers({4, 1}, -3, 3)}, .attrs = along(-1)},
            {.note = "long rows", .inputs = {sample_numbers({50, 700}, -3, 3)}, .attrs = along(-1)},
            {.note = "no rows", .inputs = {sample_numbers({0, 3}, -3, 3)}, .attrs = along(-1)},
            {.note = "masked entries and a masked row", .inputs = {masked}, .attrs = along(-1), .smooth = false},
            {.note = "no such axis", .inputs = {sample_numbers({2, 3}, -3, 3)}, .attrs = along(2), .valid = false}};
  }
  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {5 * n, 2 * n * static_cast<double>(size_of(specs[0].dtype))};
  }

 private:
  static Index rows(const Tensor& x) { return x.size(-1) == 0 ? 0 : x.numel() / x.size(-1); }
  static Tensor axis_last(const Tensor& x, const Attrs& attrs) {
    const Index axis = x.shape().axis(attrs.axis, F::kDoc.name.data());
    Shape shape = x.shape();
    Shape strides = x.strides();
    shape.erase(axis);
    shape.push_back(x.shape()[axis]);
    strides.erase(axis);
    strides.push_back(x.strides()[axis]);
    return x.as_strided(shape, strides, x.offset());
  }
};

}  // namespace minnow::ops
