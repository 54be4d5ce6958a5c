#pragma once
/// @file
/// Makes reductions: parts the axes, brings what is reduced into rows, and works row by row.

#include <algorithm>
#include <cmath>

#include "minnow/autograd/op.hpp"
#include "minnow/kernels/elementwise.hpp"
#include "minnow/ops/reduction.hpp"
#include "ops/check.hpp"
#include "ops/reduce_to.hpp"
#include "ops/samples.hpp"

namespace minnow::ops {

/// Options of the reductions.
struct ReduceAttrs {
  Axes axes;
  bool keepdim = false;
  double correction = 0;  ///< of var and std_dev
};

/// What the axes of one input become.
struct AxisSplit {
  Shape kept;       ///< x's sizes with 1 on the reduced axes
  Shape result;     ///< shape of the result
  Shape order;      ///< x's axes, the kept ones first
  Index width = 1;  ///< elements that become one

  /// Throws: ShapeError naming `who`.
  AxisSplit(const char* who, const Shape& x, const Axes& axes, bool keepdim);
  /// @return a view of x with its axes in `order`: contiguous, it consists of rows of `width` elements.
  [[nodiscard]] Tensor permuted(const Tensor& x) const;
};

/// @return the usual calls of a reduction, and two whose axes do not fit.
/// @param correction for all of them
/// @param singles also rows of one element
std::vector<Sample> reduction_samples(double low, double high, double correction = 0, bool singles = true);

/// Elements read once, and as many operations.
Cost reduction_cost(Specs specs);

/// y = F of each row of elements that become one. F brings kDoc, samples() and
///   static constexpr bool kNeedsElements;    // refuse rows of no elements
///   template <class T> static T value(const T* x, Index n, const ReduceAttrs&);
///   template <class T> static void gradient(T* dx, const T* x, Index n, T y, T dout, const ReduceAttrs&);
template <class F>
struct RowReduction {
  using Attrs = ReduceAttrs;
  static constexpr bool kStrided = true;
  static constexpr Saves kSaves{.inputs = 0b1, .outputs = 0b1};

  static AxisSplit split(const Shape& x, const Attrs& attrs) {
    return {F::kDoc.name.data(), x, attrs.axes, attrs.keepdim};
  }

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_floating(F::kDoc.name, specs[0]);
    const AxisSplit axes = split(specs[0].shape, attrs);
    if (F::kNeedsElements && axes.width == 0 && axes.result.numel() > 0) {
      throw ShapeError(
          fmt::format("[{}] the reduced axes must hold elements; got {}", F::kDoc.name, specs[0].shape.str()));
    }
    return {{{axes.result, specs[0].dtype}}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const AxisSplit axes = split(c.inputs[0].shape(), attrs);
    const Tensor rows = axes.permuted(c.inputs[0]).contiguous();
    const T* x = rows.data<T>();
    T* y = c.outputs[0].template mutable_data<T>();
    for_rows(c.outputs[0].numel(), axes.width,
             [&](Index row) { y[row] = F::template value<T>(x + row * axes.width, axes.width, attrs); });
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const AxisSplit axes = split(c.specs[0].shape, attrs);
    const Tensor rows = axes.permuted(c.inputs[0]).contiguous();
    Tensor target = axes.permuted(c.dins[0]);
    Tensor local = target.is_contiguous() ? target : Tensor::empty(rows.shape(), rows.dtype());
    const T* x = rows.data<T>();
    const T* y = c.outputs[0].template data<T>();
    const T* dout = c.douts[0].template data<T>();
    T* dx = local.mutable_data<T>();
    for_rows(c.douts[0].numel(), axes.width, [&](Index row) {
      const Index first = row * axes.width;
      if (dout[row] == T{0}) {  // whatever the slopes are: see chain()
        std::fill_n(dx + first, axes.width, T{0});
      } else {
        F::template gradient<T>(dx + first, x + first, axes.width, y[row], dout[row], attrs);
      }
    });
    if (!target.is_contiguous()) target.copy_from(local);
  }

  static Cost cost(Specs specs, const Attrs&) { return reduction_cost(specs); }

 private:
  template <class Body>
  static void for_rows(Index rows, Index width, Body body) {
    parallel_ranges(rows, std::max<Index>(1, kernels::kElementChunk / std::max<Index>(1, width)),
                    [&](Index begin, Index end, Index) {
                      for (Index row = begin; row < end; ++row) body(row);
                    });
  }
};

/// Mean of n numbers, and the sum of squares of their distances from it.
struct Moments {
  double mean = 0, squares = 0;
};

/// Two passes; what the rounded mean is off is measured and taken out (Chan, Golub, LeVeque 1983).
template <class T>
Moments moments(const T* x, Index n) {
  const double count = static_cast<double>(n);
  const double mean = sum_in_line(x, n) / count;
  double sum = 0;
  double squares = 0;
  for (Index i = 0; i < n; ++i) {
    const double distance = static_cast<double>(x[i]) - mean;
    sum += distance;
    squares += distance * distance;
  }
  return {mean + sum / count, squares - sum * sum / count};
}

/// n - correction, or NaN when that leaves nothing to divide by.
inline double degrees_of_freedom(Index n, double correction) {
  const double left = static_cast<double>(n) - correction;
  return left > 0 ? left : std::nan("");
}

}  // namespace minnow::ops
