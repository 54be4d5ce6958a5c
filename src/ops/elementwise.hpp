#pragma once
/// @file
/// Makes elementwise operations out of one value function and its slopes: `struct Exp : Unary<Exp> { ... }`.

#include <algorithm>
#include <array>

#include "minnow/autograd/op.hpp"
#include "minnow/kernels/column_sum.hpp"
#include "minnow/kernels/elementwise.hpp"
#include "ops/check.hpp"
#include "ops/reduce_to.hpp"
#include "ops/samples.hpp"
#include "tensor/strided.hpp"

namespace minnow::ops {

/// Elements that one chunk of an elementwise loop covers.
constexpr Index kChunk = kernels::kElementChunk;

/// slope * dout, and 0 where nothing comes in: a branch that where() did not select passes no gradient, even where its
/// slope is infinite or NaN (the square root of a negative number).
template <class T>
T chain(T slope, T dout) {
  return dout == T{0} ? T{0} : slope * dout;
}

/// y = f(x), element by element. F brings kDoc, kSaves (which of x and y the slope reads), samples(),
///   template <class T> static void map(T* y, const T* x, Index n, const Attrs&);
/// and one of
///   template <class T> static T slope(T x, T y, const Attrs&);      // dy/dx; the one not saved is given as 0
///   template <class T> static void slopes(T* s, const T* x, const T* y, Index n, const Attrs&);
///   template <class T> static void backward_map(T* dx, const T* x, const T* dout, Index n, bool add, const Attrs&);
/// A is the type of its options.
template <class F, class A = NoAttrs>
struct Unary {
  using Attrs = A;
  static constexpr bool kAddsNatively = true;

  static Inferred infer(Specs specs, const Attrs&) {
    check_floating(F::kDoc.name, specs[0]);
    return {{specs[0]}, {}};
  }

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
      const T* x_here = x != nullptr ? x + begin : nullptr;
      const T* y_here = y != nullptr ? y + begin : nullptr;
      if constexpr (requires { &F::template backward_map<T>; }) {
        F::template backward_map<T>(dx + begin, x_here, dout + begin, end - begin, add, attrs);
      } else {
        differentiate(dx + begin, x_here, y_here, dout + begin, end - begin, add, attrs);
      }
    });
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {n, 2 * n * static_cast<double>(size_of(specs[0].dtype))};
  }

 private:
  template <class T>
  static void differentiate(T* dx, const T* x, const T* y, const T* dout, Index n, bool add, const Attrs& attrs) {
    constexpr Index kBlock = 512;
    T slopes[kBlock];
    for (Index first = 0; first < n; first += kBlock) {
      const Index count = std::min(kBlock, n - first);
      const T* x_here = x != nullptr ? x + first : nullptr;
      const T* y_here = y != nullptr ? y + first : nullptr;
      if constexpr (requires { &F::template slopes<T>; }) {
        F::template slopes<T>(slopes, x_here, y_here, count, attrs);
      } else {
        for (Index i = 0; i < count; ++i) {
          slopes[i] = F::template slope<T>(x != nullptr ? x_here[i] : T{0}, y != nullptr ? y_here[i] : T{0}, attrs);
        }
      }
      for (Index i = 0; i < count; ++i) {
        const T gradient = chain(slopes[i], dout[first + i]);
        dx[first + i] = add ? dx[first + i] + gradient : gradient;
      }
    }
  }
};

/// Calls body(offsets, count) for pieces of rows of at most kChunk elements, in parallel: operand k's piece begins at
/// offsets[k] and goes on in steps of loop.inner_stride(k).
template <std::size_t N, class Body>
void parallel_pieces(const StridedLoop<N>& loop, Body body) {
  const Index inner = loop.inner();
  if (inner == 0) return;
  const Index pieces = (inner + kChunk - 1) / kChunk;  // long rows are cut
  parallel_ranges(loop.outer() * pieces, std::max<Index>(1, kChunk / inner), [&](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i) {
      const Index first = i % pieces * kChunk;
      std::array<Index, N> offsets;
      for (std::size_t k = 0; k < N; ++k) offsets[k] = loop.row_offset(k, i / pieces) + first * loop.inner_stride(k);
      body(offsets, std::min(kChunk, inner - first));
    }
  });
}

/// y = value(a, b) over the contiguous y, a of type A and b of type B broadcast to its shape.
template <class A, class B, class Y, class Value>
void run_binary_as(const Tensor& a, const Tensor& b, Tensor& y, Value value) {
  const StridedLoop<3> loop(y.shape(), {broadcast_strides(a.shape(), a.strides(), y.shape()),
                                        broadcast_strides(b.shape(), b.strides(), y.shape()), y.strides()});
  const A* pa = a.data<A>();
  const B* pb = b.data<B>();
  Y* py = y.mutable_data<Y>();
  const Index step_a = loop.inner_stride(0);
  const Index step_b = loop.inner_stride(1);
  parallel_pieces(loop, [&](const std::array<Index, 3>& at, Index n) {
    const A* ra = pa + at[0];
    const B* rb = pb + at[1];
    Y* ry = py + at[2];
    if (step_a == 1 && step_b == 1) {
      for (Index k = 0; k < n; ++k) ry[k] = value(ra[k], rb[k]);
    } else if (step_a == 1 && step_b == 0) {
      for (Index k = 0; k < n; ++k) ry[k] = value(ra[k], rb[0]);
    } else {
      for (Index k = 0; k < n; ++k) ry[k] = value(ra[k * step_a], rb[k * step_b]);
    }
  });
}

/// As above with one element type.
template <class T, class Value>
void run_binary(const Tensor& a, const Tensor& b, Tensor& y, Value value) {
  run_binary_as<T, T, T>(a, b, y, value);
}

/// target = the contiguous `from`, summed over the axes along which target was broadcast.
template <class T>
void sum_broadcast(const Tensor& from, Tensor& target) {
  constexpr Index kEnoughColumns = 512;  // fewer do not feed a team: sum_to cuts rows too
  const Index rows = from.rank() - target.rank();
  const bool leading =
      rows >= 0 && std::equal(target.shape().begin(), target.shape().end(), from.shape().begin() + rows);
  if (leading && rows == 0) {
    target.copy_from(from);
  } else if (leading && target.numel() >= kEnoughColumns && from.numel() > 0) {
    kernels::sum_columns<T>({from.data<T>(), from.numel() / target.numel(), target.numel(), target.mutable_data<T>()});
  } else {
    sum_to<T>(from, target);
  }
}

/// y = f(a, b) with NumPy's broadcasting. F brings kDoc, kSaves (inputs), samples() and
///   template <class T> static T value(T a, T b);
///   template <class T> static T slope_a(T a, T b);   // dy/da; inputs that are not saved are given as 0
///   template <class T> static T slope_b(T a, T b);
/// or, where both slopes are 1, static constexpr bool kPassesGradient = true.
template <class F>
struct Binary {
  using Attrs = NoAttrs;
  static constexpr bool kStrided = true;
  static Inferred infer(Specs specs, const Attrs&) {
    for (const TensorSpec& spec : specs) check_floating(F::kDoc.name, spec);
    return {{{broadcast(specs[0].shape, specs[1].shape, F::kDoc.name.data()), specs[0].dtype}}, {}};
  }
  template <class T>
  static void forward(const ForwardContext& c, const Attrs&) {
    run_binary<T>(c.inputs[0], c.inputs[1], c.outputs[0], [](T a, T b) { return F::template value<T>(a, b); });
  }
  template <class T>
  static void backward(const BackwardContext& c, const Attrs&) {
    if constexpr (requires { F::kPassesGradient; }) {
      for (std::size_t i = 0; i < 2; ++i) {
        if (c.wants(i)) sum_broadcast<T>(c.douts[0], c.dins[i]);
      }
    } else {
      if (c.wants(0)) side<T>(c, 0, [](T a, T b) { return F::template slope_a<T>(a, b); });
      if (c.wants(1)) side<T>(c, 1, [](T a, T b) { return F::template slope_b<T>(a, b); });
    }
  }
  static Cost cost(Specs specs, const Attrs& attrs) {
    const auto n = static_cast<double>(infer(specs, attrs).outputs[0].shape.numel());
    const auto in = static_cast<double>(specs[0].shape.numel() + specs[1].shape.numel());
    return {n, (n + in) * static_cast<double>(size_of(specs[0].dtype))};
  }

 private:
  /// Gradient of one side: dout times the slope, summed over the axes that were broadcast.
  template <class T, class Slope>
  static void side(const BackwardContext& c, std::size_t i, Slope slope) {
    const Tensor& dout = c.douts[0];
    const bool broadcasted = c.specs[i].shape != dout.shape();
    Tensor local = broadcasted ? Tensor::empty(dout.shape(), dout.dtype()) : c.dins[i];
    const Tensor none = Tensor::zeros({}, dout.dtype());
    run_binary<T>(c.inputs[0].defined() ? c.inputs[0] : none, c.inputs[1].defined() ? c.inputs[1] : none, local, slope);
    T* to = local.mutable_data<T>();
    const T* from = dout.data<T>();
    parallel_ranges(local.numel(), kChunk, [&](Index begin, Index end, Index) {
      for (Index i = begin; i < end; ++i) to[i] = chain(to[i], from[i]);
    });
    if (broadcasted) sum_broadcast<T>(local, c.dins[i]);
  }
};

}  // namespace minnow::ops
