#pragma once
/// @file
/// Makes losses that compare two tensors element by element: `struct MseLoss : PointwiseLoss<MseLoss, Reduction>`.

#include <fmt/format.h>

#include "minnow/ops/loss.hpp"
#include "ops/elementwise.hpp"

namespace minnow::ops {

/// One loss per element, their sum, or their sum divided. F brings kDoc, kSaves (at least the inputs), samples() and
///   static bool per_element(const A&);                          // no sum
///   static double divisor(const Shape& x, const A&);            // of the sum
///   template <class T> static T value(T x, T target, T weight, const A&);
///   template <class T> static T slope_x(T x, T target, T weight, const A&);
///   template <class T> static T slope_target(T x, T target, T weight, const A&);
/// An absent weight (input 2) is given as 1.
template <class F, class A>
struct PointwiseLoss {
  using Attrs = A;

  static Inferred infer(Specs specs, const Attrs& attrs) {
    const char* who = F::kDoc.name.data();
    for (const TensorSpec& spec : specs) {
      if (spec.present) check_floating(who, spec);
    }
    if (specs[0].shape != specs[1].shape) {
      throw ShapeError(fmt::format("[{}] x and target must have one shape; got {} and {}", who, specs[0].shape.str(),
                                   specs[1].shape.str()));
    }
    if (specs.size() > 2 && specs[2].present && broadcast(specs[0].shape, specs[2].shape, who) != specs[0].shape) {
      throw ShapeError(fmt::format("[{}] the weight must broadcast to x; got {} for {}", who, specs[2].shape.str(),
                                   specs[0].shape.str()));
    }
    return {{{F::per_element(attrs) ? specs[0].shape : Shape{}, specs[0].dtype}}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const Index n = c.inputs[0].numel();
    const Tensor weights = weight_of(c.inputs, c.inputs[0].shape());
    const T* x = c.inputs[0].template data<T>();
    const T* target = c.inputs[1].template data<T>();
    const T* weight = weights.defined() ? weights.template data<T>() : nullptr;
    T* y = c.outputs[0].template mutable_data<T>();
    const auto value = [&](Index i) {
      return F::template value<T>(x[i], target[i], weight != nullptr ? weight[i] : T{1}, attrs);
    };
    if (F::per_element(attrs)) {
      parallel_ranges(n, kChunk, [&](Index begin, Index end, Index) {
        for (Index i = begin; i < end; ++i) y[i] = value(i);
      });
      return;
    }
    std::vector<double> partial(static_cast<std::size_t>((n + kChunk - 1) / kChunk), 0.0);
    parallel_ranges(n, kChunk, [&](Index begin, Index end, Index chunk) {
      double sum = 0;
      for (Index i = begin; i < end; ++i) sum += static_cast<double>(value(i));
      partial[static_cast<std::size_t>(chunk)] = sum;
    });
    double sum = 0;
    for (double part : partial) sum += part;
    *y = static_cast<T>(sum / F::divisor(c.inputs[0].shape(), attrs));
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    if (c.wants(0)) side<T>(c, 0, attrs, [&](T x, T t, T w) { return F::template slope_x<T>(x, t, w, attrs); });
    if (c.wants(1)) side<T>(c, 1, attrs, [&](T x, T t, T w) { return F::template slope_target<T>(x, t, w, attrs); });
    if (c.specs.size() > 2 && c.wants(2)) c.dins[2].fill(0);  // a constant
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {4 * n, 2 * n * static_cast<double>(size_of(specs[0].dtype))};
  }

 private:
  static Tensor weight_of(std::span<const Tensor> inputs, const Shape& x) {
    if (inputs.size() < 3 || !inputs[2].defined()) return {};
    const Tensor& weight = inputs[2];
    return weight.as_strided(x, broadcast_strides(weight.shape(), weight.strides(), x), weight.offset()).contiguous();
  }

  template <class T, class Slope>
  static void side(const BackwardContext& c, std::size_t i, const Attrs& attrs, Slope slope) {
    const Tensor weights = weight_of(c.inputs, c.specs[0].shape);
    const T* x = c.inputs[0].template data<T>();
    const T* target = c.inputs[1].template data<T>();
    const T* weight = weights.defined() ? weights.template data<T>() : nullptr;
    const T* dout = c.douts[0].template data<T>();
    T* to = c.dins[i].template mutable_data<T>();
    const bool each = F::per_element(attrs);
    const T shared = each ? T{0} : static_cast<T>(static_cast<double>(dout[0]) / F::divisor(c.specs[0].shape, attrs));
    parallel_ranges(c.dins[i].numel(), kChunk, [&](Index begin, Index end, Index) {
      for (Index k = begin; k < end; ++k) {
        to[k] = chain(slope(x[k], target[k], weight != nullptr ? weight[k] : T{1}), each ? dout[k] : shared);
      }
    });
  }
};

/// What `Reduction` says of a loss per element.
template <class F, class A>
struct ReducedLoss : PointwiseLoss<F, A> {
  static bool per_element(const A& attrs) { return attrs.reduction == Reduction::kNone; }
  static double divisor(const Shape& x, const A& attrs) {
    return attrs.reduction == Reduction::kMean ? static_cast<double>(x.numel()) : 1.0;
  }
};

/// Options of losses that have a reduction and nothing else.
struct ReductionAttrs {
  Reduction reduction = Reduction::kMean;
};

}  // namespace minnow::ops
