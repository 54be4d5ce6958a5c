#pragma once
/// @file
/// Plain form of activation.hpp: the specification of the vector code, and what f64 runs.

#include <cmath>
#include <numbers>

#include "kernels/reference/vector_math.hpp"
#include "minnow/kernels/activation.hpp"

namespace minnow::kernels::reference {

// Slope and value of an activation at one point.
template <class T>
struct Point {
  T value;
  T slope;
};

template <class T>
Point<T> relu(T x) {
  return {x <= 0 ? T(0) : x, x <= 0 ? T(0) : T(1)};
}

// x s(z) with z = 2 sqrt(2/pi) (x + 0.044715 x^3), since 1 + tanh u = 2 s(2u).
template <class T>
Point<T> gelu_tanh(T x) {
  if (std::isinf(x)) return {x < 0 ? T(0) : x, x < 0 ? T(0) : T(1)};
  const T k = 2 * std::sqrt(2 / std::numbers::pi_v<T>);
  const T cubic = T(0.044715);
  const T z = k * x * (1 + cubic * x * x);
  const T s = sigmoid(z);
  // For large |z| the slope's second term is 0 though x^3 may overflow.
  const T bend = std::fabs(z) > 700 ? T(0) : x * s * sigmoid(-z) * k * (1 + 3 * cubic * x * x);
  return {x * s, s + bend};
}

template <class T>
Point<T> gelu_erf(T x) {
  if (std::isinf(x)) return {x < 0 ? T(0) : x, x < 0 ? T(0) : T(1)};
  const T phi = std::erfc(-x / std::numbers::sqrt2_v<T>) / 2;
  const T density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi_v<T>);
  return {x * phi, phi + x * density};
}

template <class T>
Point<T> silu(T x) {
  if (std::isinf(x)) return {x < 0 ? T(0) : x, x < 0 ? T(0) : T(1)};
  const T s = sigmoid(x);
  return {x * s, s * (1 + x * sigmoid(-x))};
}

template <class T>
Point<T> activation(Activation kind, T x) {
  switch (kind) {
    case Activation::kRelu:
      return relu(x);
    case Activation::kGeluTanh:
      return gelu_tanh(x);
    case Activation::kGeluErf:
      return gelu_erf(x);
    case Activation::kSilu:
      return silu(x);
  }
  return {x, 1};
}

template <class T>
void activation_forward(Activation kind, T* y, const T* x, Index n, bool add) {
  for (Index i = 0; i < n; ++i) y[i] = (add ? y[i] : T(0)) + activation(kind, x[i]).value;
}

// ReLU stops even an infinite gradient.
template <class T>
T gradient(Activation kind, T slope, T dout) {
  return kind == Activation::kRelu && slope == 0 ? T(0) : slope * dout;
}

template <class T>
void activation_backward(Activation kind, T* dx, const T* x, const T* dout, Index n, bool add) {
  for (Index i = 0; i < n; ++i) {
    dx[i] = (add ? dx[i] : T(0)) + gradient(kind, activation(kind, x[i]).slope, dout[i]);
  }
}

template <class T>
void swiglu_forward_row(T* y, const T* gate, const T* up, Index n) {
  for (Index i = 0; i < n; ++i) y[i] = silu(gate[i]).value * up[i];
}

template <class T>
void swiglu_backward_row(T* dgate, T* dup, const T* gate, const T* up, const T* dout, Index n, bool add) {
  for (Index i = 0; i < n; ++i) {
    const Point<T> p = silu(gate[i]);
    const T dg = dout[i] * up[i] * p.slope;
    const T du = dout[i] * p.value;
    dgate[i] = (add ? dgate[i] : T(0)) + dg;
    dup[i] = (add ? dup[i] : T(0)) + du;
  }
}

}  // namespace minnow::kernels::reference
