#pragma once
/// @file
/// Softmax and the losses made of it.

#include <optional>

#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// y = e^x / sum e^x along an axis, without overflow. -inf gives 0; a line of nothing but -inf gives 0.
/// Gradient: dx = y (dout - sum(y dout)). Throws: ShapeError.
[[nodiscard]] Tensor softmax(const Tensor& x, Index axis);

/// y = x - ln sum e^x along an axis. Gradient: dx = dout - e^y sum(dout). Throws: ShapeError.
[[nodiscard]] Tensor log_softmax(const Tensor& x, Index axis);

enum class Reduction {
  kMean,  ///< weighted by class_weight over the targets that count; 0 when none does
  kSum,
  kNone,  ///< one loss per target; 0 where ignored
};

struct CrossEntropyOptions {
  Reduction reduction = Reduction::kMean;
  Index ignore_index = -100;   ///< targets of this value count for nothing
  double label_smoothing = 0;  ///< this share of the target is spread over all classes
  std::optional<double> divisor =
      std::nullopt;  ///< with kMean: divide by this instead (all leaves of a batch together)
};

/// Cross entropy of logits and class numbers, in nats.
/// @param logits (..., V); @param targets (...), i32 or i64; @param class_weight (V) or undefined
/// @return a scalar, or (...) for kNone
/// Gradient: dlogits = dout weight (softmax(logits) - target), exactly 0 where ignored.
/// Throws: ShapeError; DataError naming the position of a target that is no class.
[[nodiscard]] Tensor cross_entropy(const Tensor& logits, const Tensor& targets, const CrossEntropyOptions& options = {},
                                   const Tensor& class_weight = {});

/// cross_entropy(linear(x, weight, bias), targets) in chunks of rows: the (rows, V) logits never exist at once.
/// @param x (..., C); @param weight (V, C); @param bias (V) or undefined; @param targets (...), i32 or i64
/// @return as cross_entropy; so are gradients and errors. Backward computes the logits of a chunk again.
[[nodiscard]] Tensor linear_cross_entropy(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                          const Tensor& targets, const CrossEntropyOptions& options = {});

}  // namespace minnow
