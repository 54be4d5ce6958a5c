#pragma once
/// @file
/// The passes of Adafactor over one matrix (or vector) and its factored second moment.

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

struct AdafactorStep {
  double lr = 1e-2;
  double new_weight = 1;  ///< of the new squares in the running means: step^-beta2_decay
  double relative = 1;    ///< least of lr and 1 / sqrt(step)
  double eps1 = 0x1p-23;  ///< least mean of rows; its square the least second moment
  double eps2 = 1e-3;     ///< least size of the parameter
  double clip = 1;        ///< largest root mean square of an update
  double weight_decay = 0;
  double grad_scale = 1;
};

/// @return numbers of f64 scratch that adafactor_step needs.
[[nodiscard]] Index adafactor_scratch_size(Index rows, Index cols);

/// One step of a matrix (rows, cols), or of a vector with rows = 1. With g = grad_scale * grad, matrices: row and col
/// (rows), (cols) are running means of the means of g^2 along the other axis, v = row col / max(mean(row), eps1);
/// vectors: v itself is the running mean of g^2 and lies in `col`, `row` is null. u = g / sqrt(max(v, eps1^2)); param
/// *= 1 - lr weight_decay; param -= max(eps2, rms(param before)) relative u / max(1, rms(u) / clip). Sums are formed in
/// f64. Threads: same bits at any. Instantiated for float and double. Source: Shazeer, Stern 2018, Adafactor, in
/// PyTorch's form.
template <class T>
void adafactor_step(T* param, const T* grad, T* row, T* col, Index rows, Index cols, const AdafactorStep& args,
                    double* scratch);

}  // namespace minnow::kernels
