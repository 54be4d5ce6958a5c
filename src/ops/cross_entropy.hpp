#pragma once
/// @file
/// What cross entropy from logits and from the head's input have in common.

#include <fmt/format.h>

#include <cmath>

#include "minnow/base/error.hpp"
#include "minnow/kernels/cross_entropy.hpp"
#include "minnow/ops/loss.hpp"
#include "ops/ids.hpp"

namespace minnow::ops {

/// Throws: ShapeError unless targets are ids of the leading axes of x and the smoothing lies in [0, 1].
inline void check_loss(const char* who, const TensorSpec& x, const TensorSpec& targets,
                       const CrossEntropyOptions& options) {
  check_ids(who, targets);
  const Shape lead(
      std::span<const Index>(x.shape.begin(), static_cast<std::size_t>(std::max<Index>(1, x.shape.rank()) - 1)));
  if (x.shape.empty() || lead != targets.shape) {
    throw ShapeError(fmt::format("[{}] targets must have the leading axes of x {}; got {}", who, x.shape.str(),
                                 targets.shape.str()));
  }
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    throw ShapeError(fmt::format("[{}] label_smoothing must lie in [0, 1]; got {}", who, options.label_smoothing));
  }
  if (options.divisor && !(*options.divisor >= 0)) {
    throw ShapeError(fmt::format("[{}] the divisor must be 0 (nothing counts) or more; got {}", who, *options.divisor));
  }
}

/// Throws: DataError naming the first bad target.
template <class Id>
void refuse_bad_target(const char* who, Index row, const Id* targets, Index classes,
                       const CrossEntropyOptions& options) {
  if (row < 0) return;
  throw DataError(fmt::format("[{}] targets must lie in [0, {}) or be {} (ignored); got {} at position {}", who,
                              classes, options.ignore_index, targets[row], row));
}

/// @return what the summed loss is divided by; 0 stands for "nothing counts".
inline double divisor_of(const CrossEntropyOptions& options, double weight) {
  if (options.reduction == Reduction::kSum) return 1;
  return options.divisor.value_or(weight);
}

}  // namespace minnow::ops
