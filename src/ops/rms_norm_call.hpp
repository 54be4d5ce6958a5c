#pragma once
/// @file
/// Hands RMSNorm's kernels what the operations with an RMSNorm in them have in common.

#include "minnow/kernels/norm.hpp"
#include "ops/norm_shape.hpp"

namespace minnow::ops {

/// @return the statistic that the backward pass reads: rstd (rows).
inline std::vector<TensorSpec> rms_norm_statistics(const TensorSpec& x, const NormAttrs& attrs) {
  return {{{row_count(x, attrs)}, x.dtype}};
}

/// Runs the forward kernel.
/// @param args what the operation has of its own: x, residual, sum, y
/// @param weight number of the input weight
template <class T>
void run_rms_norm_forward(kernels::RmsNormForward<T> args, const ForwardContext& c, std::size_t weight,
                          const NormAttrs& attrs) {
  args.weight = optional_data<T>(c.inputs[weight]);
  args.rstd = c.aux[0].mutable_data<T>();
  args.rows = c.aux[0].numel();
  args.n = row_width(attrs);
  args.eps = attrs.eps;
  kernels::rms_norm_forward(args);
}

/// Runs the backward kernel.
/// @param args what the operation has of its own: dout, dsum, x, dx
/// @param weight number of the input weight
template <class T>
void run_rms_norm_backward(kernels::RmsNormBackward<T> args, const BackwardContext& c, std::size_t weight,
                           const NormAttrs& attrs) {
  args.weight = optional_data<T>(c.inputs[weight]);
  args.rstd = c.aux[0].data<T>();
  args.dweight = wanted<T>(c, weight);
  args.add_params = false;
  args.rows = c.aux[0].numel();
  args.n = row_width(attrs);
  Tensor scratch = Tensor::empty({kernels::rms_norm_backward_scratch_size(args.rows, args.n)}, dtype_of<T>);
  args.scratch = scratch.mutable_data<T>();
  kernels::rms_norm_backward(args);
}

}  // namespace minnow::ops
