#pragma once
/// @file
/// Adds the gradients and losses of leaves in one binary tree, whoever computed them and when.

#include <vector>

#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// Sums flat buffers leaf by leaf. Leaves 2i and 2i + 1 are added first, then pairs of pairs, and so on by leaf index;
/// a count that is no power of two leaves the last subtrees smaller. So the bits depend on the number of leaves alone,
/// not on how they are spread over accumulation steps or ranks. Holds log2(leaves) + 1 buffers.
class TreeSum {
 public:
  /// @param count numbers in a leaf's buffer
  explicit TreeSum(Index count, DType dtype = DType::f32) : count_(count), dtype_(dtype) {}

  /// Starts a new sum; the buffers are kept.
  void reset();
  /// @return a buffer (count) to compute the next leaf in; it holds anything.
  Tensor& next_leaf();
  /// Takes what next_leaf() gave as the next leaf, with its loss.
  void push(double loss);
  /// Adds what is left, smaller subtrees last. @return the sum of all leaves (valid until reset()).
  Tensor& finish();
  [[nodiscard]] double loss() const { return loss_; }

 private:
  struct Subtree {
    Tensor sum;
    double loss = 0;
    int height = 0;
  };
  void merge_last_two();

  Index count_;
  DType dtype_;
  std::vector<Subtree> stack_;  // heights fall from the front to the back
  std::vector<Tensor> spare_;
  Tensor leaf_;
  double loss_ = 0;
};

}  // namespace minnow
