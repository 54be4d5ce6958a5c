#pragma once
/// @file
/// Sums a tensor over some of its axes: the gradient of every broadcast, and the operations sum and mean.

#include <algorithm>
#include <vector>

#include "minnow/tensor/tensor.hpp"
#include "tensor/strided.hpp"

namespace minnow::ops {

/// @return the sum of n numbers in line, in f64. A fixed number of partial sums, so that the compiler may use vectors.
template <class T>
double sum_in_line(const T* x, Index n) {
  constexpr Index kLanes = 8;
  double lanes[kLanes] = {};
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (Index k = 0; k < kLanes; ++k) lanes[k] += static_cast<double>(x[i + k]);
  }
  for (Index k = 0; i < n; ++i, ++k) lanes[k] += static_cast<double>(x[i]);
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

/// The axes of a source tensor, parted into those kept and those summed, and how the work is cut.
class SumPlan {
 public:
  SumPlan(const Tensor& source, const Shape& target) : SumPlan(part(source, target)) {}

  [[nodiscard]] Index outputs() const { return kept_.sizes.numel(); }
  /// A unit of work is one block of outputs over one slab of what they sum.
  [[nodiscard]] Index blocks() const { return kept_.outer() * blocks_per_line_; }
  [[nodiscard]] Index slabs() const { return slabs_; }

  /// sums[0 .. count) of block `block` over slab `slab`; returns where the block's outputs begin and how many they are.
  struct Block {
    Index first = 0, count = 0;
  };
  template <class T>
  Block sum(const T* in, Index block, Index slab, double* sums) const {
    const Index line = kept_.inner();
    const Index step = kept_.inner_stride(0);
    const Index first = block % blocks_per_line_ * kBlock;
    const Index count = std::min(kBlock, line - first);
    const T* base = in + kept_.row_offset(0, block / blocks_per_line_) + first * step;
    std::fill_n(sums, count, 0.0);
    const Index begin = slab * pieces_per_slab_;
    const Index end = std::min(pieces(), begin + pieces_per_slab_);
    for (Index piece = begin; piece < end; ++piece) add_piece(base, step, count, piece, sums);
    return {block / blocks_per_line_ * line + first, count};
  }

  static constexpr Index kBlock = 64;  ///< neighbouring outputs summed together

 private:
  struct Parts {
    Shape kept, kept_strides, summed, summed_strides;
  };
  static Parts part(const Tensor& source, const Shape& target) {
    Parts parts;
    const Index shift = source.rank() - target.rank();
    for (Index axis = 0; axis < source.rank(); ++axis) {
      const bool sums = axis < shift || target[axis - shift] != source.shape()[axis];
      (sums ? parts.summed : parts.kept).push_back(source.shape()[axis]);
      (sums ? parts.summed_strides : parts.kept_strides).push_back(source.strides()[axis]);
    }
    return parts;
  }

  explicit SumPlan(const Parts& parts)
      : kept_(parts.kept, {parts.kept_strides}), summed_(parts.summed, {parts.summed_strides}) {
    constexpr Index kSlab = 65536;  // numbers that one unit of work should at least add
    constexpr Index kEnoughBlocks = 16;
    blocks_per_line_ = (kept_.inner() + kBlock - 1) / kBlock;
    pieces_per_row_ = (summed_.inner() + kPiece - 1) / kPiece;
    const Index per_piece = std::min(summed_.inner(), kPiece) * std::min(kept_.inner(), kBlock);
    pieces_per_slab_ = blocks() >= kEnoughBlocks ? std::max<Index>(1, pieces())
                                                 : std::max<Index>(1, kSlab / std::max<Index>(1, per_piece));
    slabs_ = std::max<Index>(1, (pieces() + pieces_per_slab_ - 1) / pieces_per_slab_);
  }

  [[nodiscard]] Index pieces() const { return summed_.outer() * pieces_per_row_; }

  template <class T>
  void add_piece(const T* base, Index step, Index count, Index piece, double* sums) const {
    const Index first = piece % pieces_per_row_ * kPiece;
    const Index n = std::min(kPiece, summed_.inner() - first);
    const Index stride = summed_.inner_stride(0);
    const T* at = base + summed_.row_offset(0, piece / pieces_per_row_) + first * stride;
    if (stride == 1 && step != 1) {
      for (Index k = 0; k < count; ++k) sums[k] += sum_in_line(at + k * step, n);
    } else if (step == 1) {
      for (Index i = 0; i < n; ++i, at += stride) {
        for (Index k = 0; k < count; ++k) sums[k] += static_cast<double>(at[k]);
      }
    } else {
      for (Index i = 0; i < n; ++i, at += stride) {
        for (Index k = 0; k < count; ++k) sums[k] += static_cast<double>(at[k * step]);
      }
    }
  }

  static constexpr Index kPiece = 4096;  // long rows are cut
  StridedLoop<1> kept_, summed_;
  Index blocks_per_line_ = 0, pieces_per_row_ = 0, pieces_per_slab_ = 0, slabs_ = 0;
};

/// target = sum of `source` over the axes where target, aligned from the last axis, is absent or 1, over `divisor`.
/// Requires: both of type T, target contiguous and broadcastable to source. Sums in f64 and rounds once. The order
/// depends on the shapes alone: same bits at any thread count.
template <class T>
void sum_to(const Tensor& source, Tensor target, double divisor = 1) {
  T* out = target.mutable_data<T>();
  if (target.numel() == 0) return;
  if (source.numel() == 0) {
    std::fill_n(out, target.numel(), static_cast<T>(0.0 / divisor));
    return;
  }
  const SumPlan plan(source, target.shape());
  const T* in = source.data<T>();
  if (plan.slabs() == 1) {
    parallel_chunks(plan.blocks(), [&](Index block) {
      double sums[SumPlan::kBlock];
      const auto [first, count] = plan.sum(in, block, 0, sums);
      for (Index k = 0; k < count; ++k) out[first + k] = static_cast<T>(sums[k] / divisor);
    });
    return;
  }
  std::vector<double> partial(static_cast<std::size_t>(plan.slabs() * plan.outputs()));
  parallel_chunks(plan.blocks() * plan.slabs(), [&](Index unit) {
    const Index slab = unit / plan.blocks();
    double sums[SumPlan::kBlock];
    const auto [first, count] = plan.sum(in, unit % plan.blocks(), slab, sums);
    std::copy_n(sums, count, partial.data() + slab * plan.outputs() + first);
  });
  for (Index k = 0; k < plan.outputs(); ++k) {
    double sum = 0;
    for (Index slab = 0; slab < plan.slabs(); ++slab) {
      sum += partial[static_cast<std::size_t>(slab * plan.outputs() + k)];
    }
    out[k] = static_cast<T>(sum / divisor);
  }
}

}  // namespace minnow::ops
