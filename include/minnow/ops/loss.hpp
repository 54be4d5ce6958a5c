#pragma once
/// @file
/// Softmax and the losses.

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

/// Cross entropy of logits and probabilities per class, in nats: -sum_c targets[c] log softmax(logits)[c] per row.
/// @param logits (..., V); @param targets (..., V), the same type; rows need not sum to 1
/// @return a scalar (the mean is over rows), or (...) for kNone
/// Gradient: dlogits = dout (softmax(logits) sum(targets) - targets), dtargets = -dout log softmax(logits).
/// Throws: ShapeError.
[[nodiscard]] Tensor cross_entropy_soft(const Tensor& logits, const Tensor& targets,
                                        Reduction reduction = Reduction::kMean);

struct NllOptions {
  Reduction reduction = Reduction::kMean;
  Index ignore_index = -100;  ///< targets of this value count for nothing
};

/// Negative log-likelihood: -class_weight[target] log_probs[target] per row; the mean divides by the sum of weights.
/// @param log_probs (..., V); @param targets (...), i32 or i64; @param class_weight (V) or undefined, a constant
/// @return a scalar, 0 when no target counts, or (...) for kNone. Gradient: -dout weight at each target, else 0.
/// Throws: ShapeError; DataError naming the position of a target that is no class.
[[nodiscard]] Tensor nll_loss(const Tensor& log_probs, const Tensor& targets, const NllOptions& options = {},
                              const Tensor& class_weight = {});

/// Binary cross entropy of logits: -(w t ln s(x) + (1 - t) ln(1 - s(x))), s the sigmoid, without overflow.
/// @param x any shape; @param target of x's shape, usually in [0, 1]; @param pos_weight w, broadcast to x, or undefined
/// @return a scalar, or x's shape for kNone. Gradient: dx = dout ((1 - t) s(x) - w t s(-x)); pos_weight is a constant.
/// Throws: ShapeError. The mean of no element is NaN, here and below.
[[nodiscard]] Tensor bce_with_logits(const Tensor& x, const Tensor& target, Reduction reduction = Reduction::kMean,
                                     const Tensor& pos_weight = {});

/// Squared error: (x - target)^2. Both have x's shape and a gradient. Throws: ShapeError.
[[nodiscard]] Tensor mse_loss(const Tensor& x, const Tensor& target, Reduction reduction = Reduction::kMean);

enum class KlReduction {
  kMean,  ///< over all elements
  kSum,
  kNone,
  kBatchMean,  ///< the sum over the first size: the divergence itself when rows are distributions
};

struct KlOptions {
  KlReduction reduction = KlReduction::kBatchMean;
  bool log_target = false;  ///< targets are logarithms too
};

/// Kullback-Leibler divergence of p from q: p (ln p - log_q), 0 where p = 0.
/// @param log_q any shape; @param target p, or ln p with log_target, of the same shape
/// Gradient: dlog_q = -dout p; dtarget = dout (ln p + 1 - log_q), times p with log_target, 0 where p = 0.
/// Throws: ShapeError. Source: Kullback, Leibler 1951.
[[nodiscard]] Tensor kl_div(const Tensor& log_q, const Tensor& target, const KlOptions& options = {});

struct CtcOptions {
  Index blank = 0;                         ///< the class that stands for no label
  Reduction reduction = Reduction::kMean;  ///< kMean: each loss over its label count (at least 1), then over N
  bool zero_infinity = false;              ///< items that cannot be aligned count as 0 instead of infinity
};

/// Connectionist temporal classification: -ln of the probability that the frames spell the targets, over all
/// alignments.
/// @param log_probs (T, N, C), usually log_softmax(logits, -1); @param targets (N, L), padded behind each length
/// @param input_lengths (N) frames that count; @param target_lengths (N) labels that count, possibly 0
/// @return a scalar, or (N) for kNone; infinity for an item that cannot be aligned
/// Gradient: minus the posterior of each class in each frame, the true derivative of log-probabilities taken one by one
/// (behind a log_softmax it agrees with PyTorch's); 0 in frames that do not count and for items without alignment.
/// Accuracy: sums run in f64 by logarithms. Throws: ShapeError; DataError naming the item. Source: Graves et al. 2006.
[[nodiscard]] Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                              const Tensor& target_lengths, const CtcOptions& options = {});

}  // namespace minnow
