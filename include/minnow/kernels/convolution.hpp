#pragma once
/// @file
/// Convolves images and sequences: columns of input patches (im2col) in blocks that stay in the cache, times the
/// weights.
///
/// Letters: B batch, C input channels, O output channels, G groups, K = C / G * kernel size, P = output positions of an
/// image. Kernels are not flipped (cross-correlation); what lies outside the input is 0.
/// Threads: blocks depend on the sizes alone and every sum has one owner, so the bits are the same at any thread count.
/// Instantiated for float and double.

#include <array>

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// Sizes of a two-dimensional convolution; a sequence has height and kernel height 1. Pairs are {vertical, horizontal}.
struct ConvSizes {
  Index batch = 0, channels = 0, out_channels = 0, groups = 1;
  std::array<Index, 2> in = {1, 1};
  std::array<Index, 2> kernel = {1, 1};
  std::array<Index, 2> stride = {1, 1};
  std::array<Index, 2> padding = {0, 0};
  std::array<Index, 2> dilation = {1, 1};

  /// @return output positions along an axis; not above 0 when the kernel is larger than the padded input.
  [[nodiscard]] Index out(std::size_t axis) const {
    const Index room = in[axis] + 2 * padding[axis] - dilation[axis] * (kernel[axis] - 1) - 1;
    return room < 0 ? 0 : room / stride[axis] + 1;
  }
  [[nodiscard]] Index positions() const { return out(0) * out(1); }         ///< P
  [[nodiscard]] Index taps() const { return kernel[0] * kernel[1]; }        ///< weights of one channel
  [[nodiscard]] Index group_channels() const { return channels / groups; }  ///< input channels of one output
  [[nodiscard]] Index group_outputs() const { return out_channels / groups; }
  [[nodiscard]] Index depth() const { return group_channels() * taps(); }  ///< K
  [[nodiscard]] Index image() const { return channels * in[0] * in[1]; }   ///< elements of one input
};

/// @return elements of scratch that each of the functions below needs.
[[nodiscard]] Index conv_scratch_size(const ConvSizes& sizes);

/// y[b, o, p] = bias[o] + sum over c, tap of weight[o, c, tap] x[b, c, stride p + dilation tap - padding].
/// @param y (B, O, P); @param x (B, C, H, W); @param weight (O, C / G, taps); @param bias (O) or null
template <class T>
void conv_forward(T* y, const T* x, const T* weight, const T* bias, const ConvSizes& sizes, T* scratch);

/// dx (B, C, H, W) = the transposed convolution of dy (B, O, P).
template <class T>
void conv_backward_input(T* dx, const T* dy, const T* weight, const ConvSizes& sizes, T* scratch);

/// @return further elements that conv_backward_weight needs for partial sums; 0 when it needs none.
[[nodiscard]] Index conv_partial_size(const ConvSizes& sizes);

/// dweight (O, C / G, taps) = sum over images and positions of dy times the patch. @param partial for its partial sums
template <class T>
void conv_backward_weight(T* dweight, const T* dy, const T* x, const ConvSizes& sizes, T* scratch, T* partial);

}  // namespace minnow::kernels
