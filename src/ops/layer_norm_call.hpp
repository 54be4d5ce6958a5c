#pragma once
/// @file
/// Hands LayerNorm's kernels what the operations with a LayerNorm in them have in common.

#include "minnow/kernels/norm.hpp"
#include "ops/norm_shape.hpp"

namespace minnow::ops {

/// @return the statistics that the backward pass reads: mean and rstd, (rows) each.
inline std::vector<TensorSpec> norm_statistics(const TensorSpec& x, const NormAttrs& attrs) {
  const TensorSpec per_row{{row_count(x, attrs)}, x.dtype};
  return {per_row, per_row};
}

/// Runs the forward kernel.
/// @param args what the operation has of its own: x, residual, sum, y
/// @param weight number of the input weight; the bias stands behind it
template <class T>
void run_layer_norm_forward(kernels::LayerNormForward<T> args, const ForwardContext& c, std::size_t weight,
                            const NormAttrs& attrs) {
  args.weight = optional_data<T>(c.inputs[weight]);
  args.bias = optional_data<T>(c.inputs[weight + 1]);
  args.mean = c.aux[0].mutable_data<T>();
  args.rstd = c.aux[1].mutable_data<T>();
  args.rows = c.aux[0].numel();
  args.n = row_width(attrs);
  args.eps = attrs.eps;
  kernels::layer_norm_forward(args);
}

/// Runs the backward kernel.
/// @param args what the operation has of its own: dout, dsum, x, dx
/// @param weight number of the input weight; the bias stands behind it
template <class T>
void run_layer_norm_backward(kernels::LayerNormBackward<T> args, const BackwardContext& c, std::size_t weight,
                             const NormAttrs& attrs) {
  args.weight = optional_data<T>(c.inputs[weight]);
  args.mean = c.aux[0].data<T>();
  args.rstd = c.aux[1].data<T>();
  args.dweight = wanted<T>(c, weight);
  args.dbias = wanted<T>(c, weight + 1);
  args.add_params = false;
  args.rows = c.aux[0].numel();
  args.n = row_width(attrs);
  Tensor scratch = Tensor::empty({kernels::layer_norm_backward_scratch_size(args.rows, args.n)}, dtype_of<T>);
  args.scratch = scratch.mutable_data<T>();
  kernels::layer_norm_backward(args);
}

}  // namespace minnow::ops
