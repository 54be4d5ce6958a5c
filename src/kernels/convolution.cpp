// Source: Chellapilla, Puri, Simard 2006, High Performance Convolutional Neural Networks for Document Processing.

#include "minnow/kernels/convolution.hpp"

#include "kernels/convolution_columns.hpp"
#include "minnow/kernels/gemm.hpp"

namespace minnow::kernels {
namespace {

/// How the work is cut: a function of the sizes alone.
struct Cut {
  Index block;          // positions at once
  Index blocks;         // of an image
  Index chunk;          // channels at once, of a group's
  Index chunks;         // of a group
  Index slabs;          // partial sums of the weights' gradient
  bool direct = false;  // columns are rows of the image as they are

  explicit Cut(const ConvSizes& s) {
    constexpr Index kColumns = 1 << 18;  // elements of a block of columns: a megabyte of f32
    constexpr Index kUnits = 16;         // pieces to make at least, for the threads
    constexpr Index kRows = 128;         // of a chunk's columns
    constexpr Index kSlabs = 8;
    const Index positions = std::max<Index>(1, s.positions());
    const Index fair = s.batch * s.groups * positions / kUnits;
    block = std::clamp<Index>(std::min(kColumns / std::max<Index>(1, s.depth()), fair) / 16 * 16, 64, 1024);
    block = std::min(block, positions);
    blocks = (s.positions() + block - 1) / block;
    chunk = std::clamp<Index>(kRows / std::max<Index>(1, s.taps()), 1, std::max<Index>(1, s.group_channels()));
    chunks = (s.group_channels() + chunk - 1) / chunk;
    const Index images = s.batch * blocks;
    slabs = s.groups * chunks >= kSlabs ? 1 : std::clamp<Index>(images, 1, kSlabs);
    const std::array<Index, 2> ones = {1, 1};
    const std::array<Index, 2> none = {0, 0};
    direct = s.kernel == ones && s.stride == ones && s.padding == none;
  }

  [[nodiscard]] Index channels_of(const ConvSizes& s, Index c) const {
    return std::min(chunk, s.group_channels() - c * chunk);
  }
  [[nodiscard]] ColumnBlock at(const ConvSizes& s, Index group, Index first, Index channels, Index b) const {
    return {group * s.group_channels() + first, channels, b * block, std::min(block, s.positions() - b * block)};
  }
};

/// Elements of one thread's columns.
Index slot_size(const ConvSizes& s) { return std::max<Index>(1, s.depth()) * Cut(s).block; }

/// A matrix of columns: in the thread's scratch, or in the image itself.
template <class T>
struct Columns {
  const T* data;
  Index ld;
};

template <class T>
Columns<T> columns_of(const T* image, const ConvSizes& s, const Cut& cut, const ColumnBlock& block, T* slot) {
  if (cut.direct) return {image + block.first_channel * s.positions() + block.first, s.positions()};
  image_to_columns(slot, image, s, block);
  return {slot, block.count};
}

}  // namespace

Index conv_scratch_size(const ConvSizes& sizes) { return slot_size(sizes) * threads(); }

Index conv_partial_size(const ConvSizes& sizes) {
  const Cut cut(sizes);
  return cut.slabs == 1 ? 0 : cut.slabs * sizes.out_channels * sizes.depth();
}

template <class T>
void conv_forward(T* y, const T* x, const T* weight, const T* bias, const ConvSizes& s, T* scratch) {
  const Cut cut(s);
  const Index slot = slot_size(s);
  const Index outputs = s.group_outputs();
  parallel_chunks(s.batch * s.groups * cut.blocks, [&](Index unit) {
    const Index image = unit / cut.blocks / s.groups;
    const Index group = unit / cut.blocks % s.groups;
    const ColumnBlock block = cut.at(s, group, 0, s.group_channels(), unit % cut.blocks);
    const Columns<T> columns = columns_of(x + image * s.image(), s, cut, block, scratch + thread_number() * slot);
    T* to = y + (image * s.out_channels + group * outputs) * s.positions() + block.first;
    for (Index o = 0; o < outputs && bias != nullptr; ++o) {
      std::fill_n(to + o * s.positions(), block.count, bias[group * outputs + o]);
    }
    gemm<T>({.m = outputs,
             .n = block.count,
             .k = s.depth(),
             .a = weight + group * outputs * s.depth(),
             .lda = s.depth(),
             .b = columns.data,
             .ldb = columns.ld,
             .c = to,
             .ldc = s.positions(),
             .add = bias != nullptr});
  });
}

template <class T>
void conv_backward_input(T* dx, const T* dy, const T* weight, const ConvSizes& s, T* scratch) {
  const Cut cut(s);
  const Index slot = slot_size(s);
  const Index outputs = s.group_outputs();
  const Index per_channel = s.in[0] * s.in[1];
  parallel_chunks(s.batch * s.groups * cut.chunks, [&](Index unit) {
    const Index image = unit / cut.chunks / s.groups;
    const Index group = unit / cut.chunks % s.groups;
    const Index first = unit % cut.chunks * cut.chunk;
    const Index channels = cut.channels_of(s, unit % cut.chunks);
    T* columns = scratch + thread_number() * slot;
    T* to = dx + image * s.image();
    std::fill_n(to + (group * s.group_channels() + first) * per_channel, channels * per_channel, T{0});
    for (Index b = 0; b < cut.blocks; ++b) {
      const ColumnBlock block = cut.at(s, group, first, channels, b);
      gemm<T>({.m = channels * s.taps(),
               .n = block.count,
               .k = outputs,
               .a = weight + group * outputs * s.depth() + first * s.taps(),
               .lda = s.depth(),
               .trans_a = true,
               .b = dy + (image * s.out_channels + group * outputs) * s.positions() + block.first,
               .ldb = s.positions(),
               .c = columns,
               .ldc = block.count});
      add_columns_to_image(to, columns, s, block);
    }
  });
}

template <class T>
void conv_backward_weight(T* dweight, const T* dy, const T* x, const ConvSizes& s, T* scratch, T* partial) {
  const Cut cut(s);
  const Index slot = slot_size(s);
  const Index outputs = s.group_outputs();
  const Index size = s.out_channels * s.depth();
  const Index pieces = s.batch * cut.blocks;
  T* sums = cut.slabs == 1 ? dweight : partial;
  parallel_chunks(cut.slabs * s.groups * cut.chunks, [&](Index unit) {
    const Index slab = unit / cut.chunks / s.groups;
    const Index group = unit / cut.chunks % s.groups;
    const Index first = unit % cut.chunks * cut.chunk;
    const Index channels = cut.channels_of(s, unit % cut.chunks);
    T* to = sums + slab * size + group * outputs * s.depth() + first * s.taps();
    for (Index o = 0; o < outputs; ++o) std::fill_n(to + o * s.depth(), channels * s.taps(), T{0});
    for (Index piece = slab * pieces / cut.slabs; piece < (slab + 1) * pieces / cut.slabs; ++piece) {
      const Index image = piece / cut.blocks;
      const ColumnBlock block = cut.at(s, group, first, channels, piece % cut.blocks);
      const Columns<T> columns = columns_of(x + image * s.image(), s, cut, block, scratch + thread_number() * slot);
      gemm<T>({.m = outputs,
               .n = channels * s.taps(),
               .k = block.count,
               .a = dy + (image * s.out_channels + group * outputs) * s.positions() + block.first,
               .lda = s.positions(),
               .b = columns.data,
               .ldb = columns.ld,
               .trans_b = true,
               .c = to,
               .ldc = s.depth(),
               .add = true});
    }
  });
  if (cut.slabs == 1) return;
  parallel_ranges(size, 4096, [&](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i) {
      T sum = partial[i];
      for (Index slab = 1; slab < cut.slabs; ++slab) sum += partial[slab * size + i];
      dweight[i] = sum;
    }
  });
}

template void conv_forward<float>(float*, const float*, const float*, const float*, const ConvSizes&, float*);
template void conv_forward<double>(double*, const double*, const double*, const double*, const ConvSizes&, double*);
template void conv_backward_input<float>(float*, const float*, const float*, const ConvSizes&, float*);
template void conv_backward_input<double>(double*, const double*, const double*, const ConvSizes&, double*);
template void conv_backward_weight<float>(float*, const float*, const float*, const ConvSizes&, float*, float*);
template void conv_backward_weight<double>(double*, const double*, const double*, const ConvSizes&, double*, double*);

}  // namespace minnow::kernels
