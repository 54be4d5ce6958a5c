#pragma once
/// @file
/// What conv1d and conv2d have in common: everything but the number of axes.

#include <fmt/format.h>

#include "minnow/autograd/op.hpp"
#include "minnow/base/error.hpp"
#include "minnow/kernels/convolution.hpp"
#include "minnow/ops/convolution.hpp"
#include "ops/check.hpp"
#include "ops/norm_shape.hpp"
#include "ops/reduce_to.hpp"
#include "ops/samples.hpp"

namespace minnow::ops {

/// F brings kDoc, kAxes (of an image), Attrs, samples() and `static kernels::ConvSizes options(const Attrs&)`, which
/// holds stride, padding, dilation and groups.
template <class F, class A>
struct Convolution {
  using Attrs = A;
  static constexpr unsigned kOptional = 0b100;     // bias
  static constexpr Saves kSaves{.inputs = 0b011};  // x, weight

  /// @return the sizes; those of x and weight as far as they are there.
  static kernels::ConvSizes sizes(const Shape& x, const Shape& weight, const Attrs& attrs) {
    kernels::ConvSizes s = F::options(attrs);
    s.batch = x[0];
    s.channels = x[1];
    s.out_channels = weight[0];
    for (Index axis = 0; axis < F::kAxes; ++axis) {
      const auto to = static_cast<std::size_t>(2 - F::kAxes + axis);
      s.in[to] = x[2 + axis];
      s.kernel[to] = weight[2 + axis];
    }
    return s;
  }

  static Inferred infer(Specs specs, const Attrs& attrs) {
    const char* who = F::kDoc.name.data();
    check_floating(who, specs[0]);
    const Shape& x = specs[0].shape;
    const Shape& weight = specs[1].shape;
    const kernels::ConvSizes given = F::options(attrs);
    if (x.rank() != F::kAxes + 2 || weight.rank() != F::kAxes + 2 || given.groups < 1 || x[1] % given.groups != 0 ||
        x[1] / given.groups != weight[1] || weight[0] % given.groups != 0) {
      throw ShapeError(
          fmt::format("[{}] x must be (B, C, ...) and weight (O, C / groups, ...) with {} more axes and O a "
                      "multiple of groups; got {}, {} and {} groups",
                      who, F::kAxes, x.str(), weight.str(), given.groups));
    }
    if (specs[2].present && specs[2].shape != Shape{weight[0]}) {
      throw ShapeError(fmt::format("[{}] bias must be ({},); got {}", who, weight[0], specs[2].shape.str()));
    }
    const kernels::ConvSizes s = sizes(x, weight, attrs);
    Shape y{x[0], weight[0]};
    for (std::size_t axis = static_cast<std::size_t>(2 - F::kAxes); axis < 2; ++axis) {
      if (s.stride[axis] < 1 || s.padding[axis] < 0 || s.dilation[axis] < 1 || s.kernel[axis] < 1) {
        throw ShapeError(fmt::format(
            "[{}] kernel, stride and dilation must be 1 or more and the padding 0 or more; got {}, {}, {} and {}", who,
            s.kernel[axis], s.stride[axis], s.dilation[axis], s.padding[axis]));
      }
      (void)plus(who, s.in[axis], times(who, 2, s.padding[axis]));
      (void)times(who, s.dilation[axis], s.kernel[axis]);
      if (s.out(axis) < 1) {
        throw ShapeError(fmt::format("[{}] the kernel must fit into the padded input; got weight {} for {}", who,
                                     weight.str(), x.str()));
      }
      y.push_back(s.out(axis));
    }
    return {{{y, specs[0].dtype}}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const kernels::ConvSizes s = sizes(c.inputs[0].shape(), c.inputs[1].shape(), attrs);
    Tensor scratch = Tensor::empty({kernels::conv_scratch_size(s)}, dtype_of<T>);
    kernels::conv_forward(c.outputs[0].template mutable_data<T>(), c.inputs[0].template data<T>(),
                          c.inputs[1].template data<T>(), optional_data<T>(c.inputs[2]), s, scratch.mutable_data<T>());
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const kernels::ConvSizes s = sizes(c.specs[0].shape, c.specs[1].shape, attrs);
    const T* dy = c.douts[0].template data<T>();
    Tensor scratch = Tensor::empty({kernels::conv_scratch_size(s)}, dtype_of<T>);
    if (c.wants(0)) {
      kernels::conv_backward_input(wanted<T>(c, 0), dy, c.inputs[1].template data<T>(), s, scratch.mutable_data<T>());
    }
    if (c.wants(1)) {
      Tensor partial = Tensor::empty({kernels::conv_partial_size(s)}, dtype_of<T>);
      kernels::conv_backward_weight(wanted<T>(c, 1), dy, c.inputs[0].template data<T>(), s, scratch.mutable_data<T>(),
                                    partial.mutable_data<T>());
    }
    if (!c.wants(2)) return;
    const Shape planes{s.batch, s.out_channels, s.positions()};
    sum_to<T>(c.douts[0].as_strided(planes, planes.contiguous_strides(), c.douts[0].offset()),
              c.dins[2].as_strided({1, s.out_channels, 1}, {s.out_channels, 1, 1}, c.dins[2].offset()));
  }

  static Cost cost(Specs specs, const Attrs& attrs) {
    const kernels::ConvSizes s = sizes(specs[0].shape, specs[1].shape, attrs);
    const auto outputs = static_cast<double>(s.batch * s.out_channels * s.positions());
    const auto inputs = static_cast<double>(specs[0].shape.numel() + specs[1].shape.numel());
    return {2 * outputs * static_cast<double>(s.depth()),
            (outputs + inputs) * static_cast<double>(size_of(specs[0].dtype))};
  }

  /// @return a sample with random numbers. `bias` 0: none.
  static Sample sample(const char* note, const Shape& x, const Shape& weight, const Attrs& attrs, Index bias,
                       bool valid = true) {
    return {.note = note,
            .inputs = {sample_numbers(x, -1, 1, 1), sample_numbers(weight, -1, 1, 2),
                       bias > 0 ? sample_numbers({bias}, -1, 1, 3) : Tensor()},
            .attrs = AttrBox::of(attrs),
            .valid = valid};
  }
};

}  // namespace minnow::ops
