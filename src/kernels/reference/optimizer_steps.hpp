#pragma once
/// @file
/// Plain form of optimizer_steps.hpp for one chunk: the specification of the vector code, and what f64 runs.

#include <cmath>

#include "kernels/reference/optimizer.hpp"
#include "minnow/kernels/optimizer_steps.hpp"

namespace minnow::kernels::reference {

template <class T>
void sgd(T* param, const T* grad, T* velocity, Index n, const SgdStep& a) {
  for (Index i = 0; i < n; ++i) {
    const double g = a.grad_scale * grad[i] + a.weight_decay * param[i];
    double d = g;
    if (velocity != nullptr) {
      const double speed = a.first ? g : a.momentum * velocity[i] + (1 - a.dampening) * g;
      velocity[i] = static_cast<T>(speed);
      d = a.nesterov ? g + a.momentum * speed : speed;
    }
    param[i] = static_cast<T>(param[i] - a.lr * d);
  }
}

/// @param coupled weight decay that is added to the gradient; c.decay is 1 then
template <class T>
void adam(T* param, const T* grad, T* m, T* v, T* largest, Index n, const AdamWConstants& c, double coupled) {
  for (Index i = 0; i < n; ++i) {
    const double g = c.grad_scale * grad[i] + coupled * param[i];
    const double m_new = c.beta1 * m[i] + c.new1 * g;
    const double v_new = c.beta2 * v[i] + c.new2 * g * g;
    m[i] = static_cast<T>(m_new);
    v[i] = static_cast<T>(v_new);
    double root = v_new;
    if (largest != nullptr) {
      root = v_new > largest[i] ? v_new : largest[i];
      largest[i] = static_cast<T>(root);
    }
    const double step = c.step_size * m_new / (std::sqrt(root) * c.root_correction + c.eps);
    param[i] = static_cast<T>(param[i] * c.decay - step);
  }
}

template <class T>
void adagrad(T* param, const T* grad, T* sum, Index n, const AdagradStep& a) {
  for (Index i = 0; i < n; ++i) {
    const double g = a.grad_scale * grad[i] + a.weight_decay * param[i];
    const double total = sum[i] + g * g;
    sum[i] = static_cast<T>(total);
    param[i] = static_cast<T>(param[i] - a.lr * g / (std::sqrt(total) + a.eps));
  }
}

template <class T>
void rmsprop(T* param, const T* grad, T* v, T* mean, T* velocity, Index n, const RmspropStep& a) {
  for (Index i = 0; i < n; ++i) {
    const double g = a.grad_scale * grad[i] + a.weight_decay * param[i];
    double square = a.alpha * v[i] + (1 - a.alpha) * g * g;
    v[i] = static_cast<T>(square);
    if (mean != nullptr) {
      const double centre = a.alpha * mean[i] + (1 - a.alpha) * g;
      mean[i] = static_cast<T>(centre);
      square -= centre * centre;
      if (square < 0) square = 0;  // rounding
    }
    double d = g / (std::sqrt(square) + a.eps);
    if (velocity != nullptr) {
      d += a.momentum * velocity[i];
      velocity[i] = static_cast<T>(d);
    }
    param[i] = static_cast<T>(param[i] - a.lr * d);
  }
}

template <class T>
void lion(T* param, const T* grad, T* m, Index n, const LionStep& a) {
  for (Index i = 0; i < n; ++i) {
    const double g = a.grad_scale * grad[i];
    const double c = a.beta1 * m[i] + (1 - a.beta1) * g;
    const double sign = c > 0 ? 1 : (c < 0 ? -1 : c);
    m[i] = static_cast<T>(a.beta2 * m[i] + (1 - a.beta2) * g);
    param[i] = static_cast<T>(param[i] * (1 - a.lr * a.weight_decay) - a.lr * sign);
  }
}

template <class T>
void muon_momentum(T* update, const T* grad, T* velocity, Index n, double momentum, bool nesterov, double grad_scale) {
  for (Index i = 0; i < n; ++i) {
    const double fresh = (1 - momentum) * grad_scale * grad[i];
    const double speed = momentum * velocity[i] + fresh;
    velocity[i] = static_cast<T>(speed);
    update[i] = static_cast<T>(nesterov ? momentum * speed + fresh : speed);
  }
}

template <class T>
void scale_add(T* y, double b, const T* x, double a, Index n) {
  for (Index i = 0; i < n; ++i) y[i] = static_cast<T>(a * x[i] + b * y[i]);
}

template <class T>
void average(T* average, const T* param, Index n, double decay) {
  for (Index i = 0; i < n; ++i) {
    average[i] = static_cast<T>(average[i] + (1 - decay) * (static_cast<double>(param[i]) - average[i]));
  }
}

}  // namespace minnow::kernels::reference
