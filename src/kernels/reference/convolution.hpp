#pragma once
/// @file
/// Plain form of convolution.hpp: the specification.

#include "minnow/kernels/convolution.hpp"

namespace minnow::kernels::reference {

/// Calls body(y, x, weight): the three flat indices of every product in a convolution. Products with what lies outside
/// the input are left out.
template <class Body>
void for_each_product(const ConvSizes& s, Body body) {
  for (Index b = 0; b < s.batch; ++b) {
    for (Index o = 0; o < s.out_channels; ++o) {
      for (Index p = 0; p < s.positions(); ++p) {
        for (Index c = 0; c < s.group_channels(); ++c) {
          for (Index tap = 0; tap < s.taps(); ++tap) {
            const Index i = p / s.out(1) * s.stride[0] + tap / s.kernel[1] * s.dilation[0] - s.padding[0];
            const Index j = p % s.out(1) * s.stride[1] + tap % s.kernel[1] * s.dilation[1] - s.padding[1];
            if (i < 0 || i >= s.in[0] || j < 0 || j >= s.in[1]) continue;
            const Index channel = o / s.group_outputs() * s.group_channels() + c;
            body((b * s.out_channels + o) * s.positions() + p, b * s.image() + (channel * s.in[0] + i) * s.in[1] + j,
                 o * s.depth() + c * s.taps() + tap);
          }
        }
      }
    }
  }
}

/// y = x convolved; y must hold the bias, or zeros, already.
template <class T>
void conv_forward(T* y, const T* x, const T* weight, const ConvSizes& s) {
  for_each_product(s, [&](Index at_y, Index at_x, Index at_w) { y[at_y] += weight[at_w] * x[at_x]; });
}

/// Adds to dx and dweight.
template <class T>
void conv_backward(T* dx, T* dweight, const T* dy, const T* x, const T* weight, const ConvSizes& s) {
  for_each_product(s, [&](Index at_y, Index at_x, Index at_w) {
    dx[at_x] += weight[at_w] * dy[at_y];
    dweight[at_w] += x[at_x] * dy[at_y];
  });
}

}  // namespace minnow::kernels::reference
