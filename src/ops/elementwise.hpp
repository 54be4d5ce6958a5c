#pragma once
/// @file
/// Makes elementwise operations out of one value function and its slopes: `struct Exp : Unary<Exp> { ... }`.

#include <algorithm>

#include "minnow/autograd/op.hpp"
#include "minnow/kernels/elementwise.hpp"
#include "ops/reduce_to.hpp"
#include "ops/samples.hpp"
#include "tensor/strided.hpp"

namespace minnow::ops {

/// Elements that one chunk of an elementwise loop covers.
constexpr Index kChunk = kernels::kElementChunk;

/// y = f(x), element by element. F brings
///   kDoc, kSaves (which of x and y its slope reads), samples(),
///   template <class T> static void map(T* y, const T* x, Index n, const Attrs&);
///   template <class T> static T slope(T x, T y, const Attrs&);      // dy/dx; the one not saved is given as 0
/// and, when it has options, `using Attrs` and NeedsAttrs = A.
template <class F, class A = NoAttrs>
struct Unary {
  using Attrs = A;
  static Inferred infer(Specs specs, const Attrs&) { return {{specs[0]}, {}}; }
  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const T* x = c.inputs[0].template data<T>();
    T* y = c.outputs[0].template mutable_data<T>();
    parallel_ranges(c.inputs[0].numel(), kChunk, [&](Index begin, Index end, Index) {
      F::template map<T>(y + begin, x + begin, end - begin, attrs);
    });
  }
  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const T* x = c.inputs[0].defined() ? c.inputs[0].template data<T>() : nullptr;
    const T* y = c.outputs[0].defined() ? c.outputs[0].template data<T>() : nullptr;
    const T* dout = c.douts[0].template data<T>();
    T* dx = c.dins[0].template mutable_data<T>();
    const bool add = c.add[0] != 0;
    parallel_ranges(c.dins[0].numel(), kChunk, [&](Index begin, Index end, Index) {
      for (Index i = begin; i < end; ++i) {
        const T slope = F::template slope<T>(x != nullptr ? x[i] : T{0}, y != nullptr ? y[i] : T{0}, attrs);
        const T gradient = slope * dout[i];
        dx[i] = add ? dx[i] + gradient : gradient;
      }
    });
  }
  static constexpr bool kAddsNatively = true;
  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {n, 2 * n * static_cast<double>(size_of(specs[0].dtype))};
  }
};

/// y = f(a, b) with NumPy's broadcasting. F brings kDoc, kSaves (inputs), samples() and
///   template <class T> static T value(T a, T b);
///   template <class T> static T slope_a(T a, T b);   // dy/da; inputs that are not saved are given as 0
///   template <class T> static T slope_b(T a, T b);
template <class F>
struct Binary {
  using Attrs = NoAttrs;
  static constexpr bool kStrided = true;
  static Inferred infer(Specs specs, const Attrs&) {
    return {{{broadcast(specs[0].shape, specs[1].shape, F::kDoc.name.data()), specs[0].dtype}}, {}};
  }
  template <class T>
  static void forward(const ForwardContext& c, const Attrs&) {
    run<T>(c.inputs[0], c.inputs[1], c.outputs[0], [](T a, T b) { return F::template value<T>(a, b); });
  }
  template <class T>
  static void backward(const BackwardContext& c, const Attrs&) {
    if (c.wants(0)) side<T>(c, 0, [](T a, T b) { return F::template slope_a<T>(a, b); });
    if (c.wants(1)) side<T>(c, 1, [](T a, T b) { return F::template slope_b<T>(a, b); });
  }
  static Cost cost(Specs specs, const Attrs& attrs) {
    const auto n = static_cast<double>(infer(specs, attrs).outputs[0].shape.numel());
    const auto in = static_cast<double>(specs[0].shape.numel() + specs[1].shape.numel());
    return {n, (n + in) * static_cast<double>(size_of(specs[0].dtype))};
  }

 private:
  template <class T, class Value>
  static void row(const T* a, Index step_a, const T* b, Index step_b, T* y, Index n, Value value) {
    if (step_a == 1 && step_b == 1) {
      for (Index i = 0; i < n; ++i) y[i] = value(a[i], b[i]);
    } else if (step_a == 1 && step_b == 0) {
      for (Index i = 0; i < n; ++i) y[i] = value(a[i], b[0]);
    } else {
      for (Index i = 0; i < n; ++i) y[i] = value(a[i * step_a], b[i * step_b]);
    }
  }

  /// y = value(a, b) over the contiguous y, a and b broadcast to its shape.
  template <class T, class Value>
  static void run(const Tensor& a, const Tensor& b, Tensor& y, Value value) {
    if (y.numel() == 0) return;
    const StridedLoop<3> loop(y.shape(), {broadcast_strides(a.shape(), a.strides(), y.shape()),
                                          broadcast_strides(b.shape(), b.strides(), y.shape()), y.strides()});
    const T* pa = a.data<T>();
    const T* pb = b.data<T>();
    T* py = y.mutable_data<T>();
    const Index inner = loop.inner();
    const Index pieces = (inner + kChunk - 1) / kChunk;  // long rows are cut
    parallel_ranges(loop.outer() * pieces, std::max<Index>(1, kChunk / inner), [&](Index begin, Index end, Index) {
      for (Index i = begin; i < end; ++i) {
        const Index at = i / pieces;
        const Index first = i % pieces * kChunk;
        row(pa + loop.row_offset(0, at) + first * loop.inner_stride(0), loop.inner_stride(0),
            pb + loop.row_offset(1, at) + first * loop.inner_stride(1), loop.inner_stride(1),
            py + loop.row_offset(2, at) + first, std::min(kChunk, inner - first), value);
      }
    });
  }

  /// Gradient of one side: dout times the slope, summed over the axes that were broadcast.
  template <class T, class Slope>
  static void side(const BackwardContext& c, std::size_t i, Slope slope) {
    const Tensor& dout = c.douts[0];
    const bool broadcasted = c.specs[i].shape != dout.shape();
    Tensor local = broadcasted ? Tensor::empty(dout.shape(), dout.dtype()) : c.dins[i];
    const Tensor none = Tensor::zeros({}, dout.dtype());
    run<T>(c.inputs[0].defined() ? c.inputs[0] : none, c.inputs[1].defined() ? c.inputs[1] : none, local, slope);
    T* to = local.mutable_data<T>();
    kernels::multiply(to, to, dout.data<T>(), local.numel());
    if (broadcasted) sum_to<T>(local, c.dins[i]);
  }
};

}  // namespace minnow::ops
