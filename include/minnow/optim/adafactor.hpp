#pragma once
/// @file
/// Adafactor: second moments of matrices kept as means of rows and columns.

#include "minnow/optim/optimizer.hpp"

namespace minnow {

struct AdafactorOptions {
  double beta2_decay = 0.8;  ///< new squares enter the means with weight step^-beta2_decay
  double eps1 = 0x1p-23;     ///< least mean of squares that divides
  double eps2 = 1e-3;        ///< least size of a parameter, to which its step relates
  double clip = 1;           ///< largest root mean square of an update
  double weight_decay = 0;   ///< decoupled
};

/// A step is lr, at most 1 / sqrt(step), times the size of the parameter. The state of a matrix is one number for each
/// row and each column; of a tensor with more axes all but the last one count as rows.
/// Source: Shazeer, Stern 2018, in PyTorch's form.
class Adafactor final : public Optimizer {
 public:
  Adafactor(FlatLayout layout, const AdafactorOptions& options, DType dtype = DType::f32);
  [[nodiscard]] std::vector<Named> state() const override;

 private:
  void update(Tensor& parameters, const Tensor& gradients, double lr, double grad_scale) override;

  /// Of one parameter: means along columns (rows) and rows (cols); of a vector only (1, n) squares in `col`.
  struct Moments {
    Index rows = 1, cols = 1;
    Tensor row, col;
  };
  AdafactorOptions options_;
  std::vector<Moments> moments_;  // one per part
  Tensor scratch_;                // f64
};

}  // namespace minnow
