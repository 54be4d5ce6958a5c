#pragma once
/// @file
/// One step of the optimizers beside AdamW (optimizer.hpp), each in one pass over flat buffers.
///
/// In all of them g = grad_scale * grad, and `weight_decay` of the coupled ones makes g += weight_decay * param. Arrays
/// are cut in chunks of kFlatChunk: same bits at any thread count. Accuracy (f32): a few roundings per element.
/// Instantiated for float and double.

#include <cstdint>

#include "minnow/kernels/optimizer.hpp"

namespace minnow::kernels {

struct SgdStep {
  double lr = 1e-2;
  double momentum = 0, dampening = 0;
  bool nesterov = false;
  double weight_decay = 0;  ///< coupled
  bool first = false;       ///< the velocity begins as the gradient, without dampening
  double grad_scale = 1;
};
/// velocity = momentum velocity + (1 - dampening) g; param -= lr d with d = velocity, or g + momentum velocity in
/// Nesterov's form; without a velocity (null) d = g. Source: PyTorch's SGD.
template <class T>
void sgd_step(T* param, const T* grad, T* velocity, Index n, const SgdStep& args);

/// Adam with coupled (L2) or decoupled decay. As adamw_step; with `largest` (not null) the root is that of the largest
/// v so far. Source: Kingma, Ba 2015; Reddi et al. 2018 (AMSGrad), in PyTorch's form.
template <class T>
void adam_step(T* param, const T* grad, T* m, T* v, T* largest, Index n, const AdamWStep& args, bool decoupled);

struct AdagradStep {
  double lr = 1e-2;  ///< its own decay included
  double eps = 1e-10;
  double weight_decay = 0;  ///< coupled
  double grad_scale = 1;
};
/// sum += g^2; param -= lr g / (sqrt(sum) + eps). Source: Duchi, Hazan, Singer 2011.
template <class T>
void adagrad_step(T* param, const T* grad, T* sum, Index n, const AdagradStep& args);

struct RmspropStep {
  double lr = 1e-2;
  double alpha = 0.99;
  double eps = 1e-8;
  double momentum = 0;
  double weight_decay = 0;  ///< coupled
  double grad_scale = 1;
};
/// v = alpha v + (1 - alpha) g^2; d = g / (sqrt(v - mean^2) + eps), where mean is the running mean of g if it is not
/// null; with a velocity (not null) velocity = momentum velocity + d and d = velocity; param -= lr d.
/// Source: Hinton 2012, lecture 6e; Graves 2013 (centered), in PyTorch's form.
template <class T>
void rmsprop_step(T* param, const T* grad, T* v, T* mean, T* velocity, Index n, const RmspropStep& args);

struct LionStep {
  double lr = 1e-4;
  double beta1 = 0.9, beta2 = 0.99;
  double weight_decay = 0;  ///< decoupled
  double grad_scale = 1;
};
/// param -= lr (sign(beta1 m + (1 - beta1) g) + weight_decay param), sign(0) = 0; m = beta2 m + (1 - beta2) g.
/// Source: Chen et al. 2023, Symbolic Discovery of Optimization Algorithms.
template <class T>
void lion_step(T* param, const T* grad, T* m, Index n, const LionStep& args);

/// velocity = momentum velocity + (1 - momentum) g; update = velocity, or momentum velocity + (1 - momentum) g in
/// Nesterov's form. Source: Jordan et al. 2024, Muon, in PyTorch's form.
template <class T>
void muon_momentum(T* update, const T* grad, T* velocity, Index n, double momentum, bool nesterov, double grad_scale);

/// y = a x + b y.
template <class T>
void scale_add(T* y, double b, const T* x, double a, Index n);

/// average += (1 - decay) (param - average).
template <class T>
void average_step(T* average, const T* param, Index n, double decay);

}  // namespace minnow::kernels
