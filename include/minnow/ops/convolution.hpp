#pragma once
/// @file
/// Convolutions of sequences and images.
///
/// Kernels are not flipped (cross-correlation); around the input stand zeros. With groups, output channels see their
/// own share of the input channels only. Gradients: dx = the transposed convolution of dout, dweight = sum of dout
/// times the patches, dbias = sum of dout. Threads: same bits at any thread count. Throws (all): ShapeError, also when
/// the kernel is larger than the padded input.

#include <array>

#include "minnow/tensor/tensor.hpp"

namespace minnow {

struct Conv1dOptions {
  Index stride = 1;
  Index padding = 0;   ///< zeros on either side
  Index dilation = 1;  ///< distance of neighbouring taps
  Index groups = 1;
};

/// y[b, o, t] = bias[o] + sum over c, k of weight[o, c, k] x[b, c, stride t + dilation k - padding].
/// @param x (B, C, T); @param weight (O, C / groups, K); @param bias (O) or undefined
/// @return (B, O, (T + 2 padding - dilation (K - 1) - 1) / stride + 1)
[[nodiscard]] Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                            const Conv1dOptions& options = {});

/// Pairs are {vertical, horizontal}.
struct Conv2dOptions {
  std::array<Index, 2> stride = {1, 1};
  std::array<Index, 2> padding = {0, 0};
  std::array<Index, 2> dilation = {1, 1};
  Index groups = 1;
};

/// The same in two dimensions; with stride = kernel size and no padding it embeds patches (ViT).
/// @param x (B, C, H, W); @param weight (O, C / groups, KH, KW); @param bias (O) or undefined
/// @return (B, O, H', W')
[[nodiscard]] Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                            const Conv2dOptions& options = {});

}  // namespace minnow
