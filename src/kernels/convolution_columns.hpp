#pragma once
/// @file
/// Turns patches of an image into columns of a matrix, and adds columns back into an image.

#include <algorithm>

#include "minnow/kernels/convolution.hpp"

namespace minnow::kernels {

/// Some channels of one image, and some of its output positions.
struct ColumnBlock {
  Index first_channel = 0, channels = 0;
  Index first = 0, count = 0;  ///< positions
};

/// Calls body(column, image, step, n, before, inside) for each run of positions of one row of the matrix (a channel and
/// a tap) that read one row of the image. The run's n elements begin at `column` of the matrix (leading dimension
/// block.count); the first `before` lie left of the image, the next `inside` read image[image + k * step], the rest lie
/// outside.
template <class Body>
void for_each_run(const ConvSizes& s, const ColumnBlock& block, Body body) {
  const Index out_width = s.out(1);
  Index row = 0;
  for (Index c = 0; c < block.channels; ++c) {
    for (Index tap = 0; tap < s.taps(); ++tap, ++row) {
      const Index down = tap / s.kernel[1] * s.dilation[0] - s.padding[0];
      const Index right = tap % s.kernel[1] * s.dilation[1] - s.padding[1];
      for (Index done = 0; done < block.count;) {
        const Index i = (block.first + done) / out_width;
        const Index j = (block.first + done) % out_width;
        const Index n = std::min(block.count - done, out_width - j);
        const Index y = i * s.stride[0] + down;
        const Index x = j * s.stride[1] + right;  // of the first element; may lie outside
        const Index step = s.stride[1];
        // The first element inside is the least k with x + k step >= 0; those up to the last k with x + k step < width.
        const Index before = std::min(n, x >= 0 ? 0 : (-x + step - 1) / step);
        const Index until = x >= s.in[1] ? 0 : std::min(n, (s.in[1] - 1 - x) / step + 1);
        const bool outside = y < 0 || y >= s.in[0] || until <= before;
        const Index image = ((block.first_channel + c) * s.in[0] + y) * s.in[1] + x + before * step;
        body(row * block.count + done, image, step, n, outside ? n : before, outside ? 0 : until - before);
        done += n;
      }
    }
  }
}

/// columns (channels * taps, count) = the patches.
template <class T>
void image_to_columns(T* columns, const T* image, const ConvSizes& s, const ColumnBlock& block) {
  for_each_run(s, block, [&](Index column, Index at, Index step, Index n, Index before, Index inside) {
    T* to = columns + column;
    std::fill_n(to, before, T{0});
    if (step == 1) {
      std::copy_n(image + (inside > 0 ? at : 0), inside, to + before);
    } else {
      for (Index k = 0; k < inside; ++k) to[before + k] = image[at + k * step];
    }
    std::fill(to + before + inside, to + n, T{0});
  });
}

/// Adds each column to the patch that it stands for.
template <class T>
void add_columns_to_image(T* image, const T* columns, const ConvSizes& s, const ColumnBlock& block) {
  for_each_run(s, block, [&](Index column, Index at, Index step, Index, Index before, Index inside) {
    const T* from = columns + column + before;
    for (Index k = 0; k < inside; ++k) image[at + k * step] += from[k];
  });
}

}  // namespace minnow::kernels
