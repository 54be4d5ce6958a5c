#pragma once
/// @file
/// Makes elementwise operations out of the activation kernels.

#include "minnow/kernels/activation.hpp"
#include "ops/elementwise.hpp"

namespace minnow::ops {

/// y = the activation `kKind` of x. F brings kDoc and samples().
template <class F, kernels::Activation kKind>
struct ActivationUnary : Unary<F> {
  static constexpr Saves kSaves{.inputs = 0b1};
  template <class T>
  static void map(T* y, const T* x, Index n, const NoAttrs&) {
    kernels::activation_forward_serial(kKind, y, x, n);
  }
  template <class T>
  static void backward_map(T* dx, const T* x, const T* dout, Index n, bool add, const NoAttrs&) {
    kernels::activation_backward_serial(kKind, dx, x, dout, n, add);
  }
};

}  // namespace minnow::ops
