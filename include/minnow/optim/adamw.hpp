#pragma once
/// @file
/// AdamW and Adam over one flat buffer.

#include "minnow/optim/optimizer.hpp"

namespace minnow {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.01;
  bool decoupled = true;  ///< false: Adam, whose decay is added to the gradient (L2)
  bool amsgrad = false;   ///< divide by the largest second moment so far
};

/// Adam with decoupled weight decay, or with decay in the gradient.
/// Source: Loshchilov, Hutter 2019, algorithm 2; Kingma, Ba 2015; Reddi et al. 2018, in PyTorch's form.
class AdamW final : public FlatOptimizer {
 public:
  AdamW(FlatLayout layout, const AdamWOptions& options, DType dtype = DType::f32);
  /// @param count numbers in the buffer; @param decayed of them, from the front, with weight decay
  AdamW(Index count, Index decayed, const AdamWOptions& options, DType dtype = DType::f32);

  /// @return running means of the gradient and of its square, (count) each: the state besides steps() (without
  /// amsgrad).
  [[nodiscard]] Tensor& exp_avg() { return buffer(0); }
  [[nodiscard]] Tensor& exp_avg_sq() { return buffer(1); }

 private:
  void update_range(const FlatRange& range) override;

  AdamWOptions options_;
};

}  // namespace minnow
