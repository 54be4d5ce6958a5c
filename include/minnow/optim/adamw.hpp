#pragma once
/// @file
/// AdamW over one flat buffer, decaying only its first part.

#include "minnow/tensor/tensor.hpp"

namespace minnow {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.01;
};

/// Adam with decoupled weight decay. The parameters lie in a flat buffer whose first `decayed` numbers (matrices) are
/// decayed and the rest (vectors) not.
/// Source: Loshchilov, Hutter 2019, algorithm 2, in PyTorch's form.
class AdamW {
 public:
  /// @param count numbers in the buffer; @param decayed of them, from the front, with weight decay
  AdamW(Index count, Index decayed, const AdamWOptions& options, DType dtype = DType::f32);

  /// One step. @param parameters, gradients (count); @param lr learning rate
  /// @param grad_scale multiplies the gradients first (clipping)
  /// Throws: ShapeError when sizes differ.
  void step(Tensor& parameters, const Tensor& gradients, double lr, double grad_scale = 1);

  /// @return steps made: what the bias corrections count.
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }
  /// @return running means of the gradient and of its square, (count) each: the state besides steps().
  [[nodiscard]] Tensor& exp_avg() { return exp_avg_; }
  [[nodiscard]] Tensor& exp_avg_sq() { return exp_avg_sq_; }

 private:
  Index decayed_;
  AdamWOptions options_;
  Tensor exp_avg_, exp_avg_sq_;
  std::int64_t steps_ = 0;
};

}  // namespace minnow
