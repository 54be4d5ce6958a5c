#pragma once
/// @file
/// Optimizers that treat each number by itself: SGD, Adagrad, RMSprop, Lion.

#include "minnow/optim/optimizer.hpp"

namespace minnow {

struct SgdOptions {
  double momentum = 0;   ///< 0: no velocity is kept
  double dampening = 0;  ///< part of the gradient that does not enter the velocity
  bool nesterov = false;
  double weight_decay = 0;  ///< added to the gradient
};

/// Gradient descent: velocity = momentum velocity + (1 - dampening) g; p -= lr velocity (Nesterov: g + momentum
/// velocity). Source: PyTorch's SGD; Sutskever et al. 2013.
class Sgd final : public FlatOptimizer {
 public:
  Sgd(FlatLayout layout, const SgdOptions& options, DType dtype = DType::f32);

 private:
  void update_range(const FlatRange& range) override;
  SgdOptions options_;
};

struct AdagradOptions {
  double eps = 1e-10;
  double lr_decay = 0;             ///< step t = 0, 1, ... has lr / (1 + lr_decay t)
  double initial_accumulator = 0;  ///< first sum of the squared gradients
  double weight_decay = 0;         ///< added to the gradient
};

/// sum += g^2; p -= lr g / (sqrt(sum) + eps). Source: Duchi, Hazan, Singer 2011, in PyTorch's form.
class Adagrad final : public FlatOptimizer {
 public:
  Adagrad(FlatLayout layout, const AdagradOptions& options, DType dtype = DType::f32);

 private:
  void update_range(const FlatRange& range) override;
  AdagradOptions options_;
};

struct RmspropOptions {
  double alpha = 0.99;
  double eps = 1e-8;
  double momentum = 0;  ///< 0: no velocity is kept
  bool centered = false;
  double weight_decay = 0;  ///< added to the gradient
};

/// v = alpha v + (1 - alpha) g^2; p -= lr g / (sqrt(v) + eps); centered: v - mean(g)^2 under the root; momentum: the
/// quotient enters a velocity. Source: Hinton 2012, lecture 6e, in PyTorch's form.
class Rmsprop final : public FlatOptimizer {
 public:
  Rmsprop(FlatLayout layout, const RmspropOptions& options, DType dtype = DType::f32);

 private:
  void update_range(const FlatRange& range) override;
  RmspropOptions options_;
};

struct LionOptions {
  double beta1 = 0.9;
  double beta2 = 0.99;
  double weight_decay = 0;  ///< decoupled
};

/// p -= lr (sign(beta1 m + (1 - beta1) g) + weight_decay p); m = beta2 m + (1 - beta2) g. Source: Chen et al. 2023.
class Lion final : public FlatOptimizer {
 public:
  Lion(FlatLayout layout, const LionOptions& options, DType dtype = DType::f32);

 private:
  void update_range(const FlatRange& range) override;
  LionOptions options_;
};

}  // namespace minnow
