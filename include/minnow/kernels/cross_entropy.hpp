#pragma once
/// @file
/// Cross entropy of logits and class numbers: loss and gradient in one pass over rows that are in cache.

#include <cstdint>

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// Arguments of cross_entropy. T is float or double, Id is std::int32_t or std::int64_t.
template <class T, class Id>
struct CrossEntropy {
  const T* logits = nullptr;        ///< (rows, classes)
  const Id* targets = nullptr;      ///< (rows), each in [0, classes) or ignore_index
  const T* class_weight = nullptr;  ///< optional (classes)
  T* row_loss = nullptr;            ///< optional (rows)
  T* dlogits = nullptr;             ///< optional (rows, classes); may equal logits
  const T* row_scale = nullptr;     ///< optional (rows): incoming gradient of each row's loss, times grad_scale
  double* scratch = nullptr;        ///< cross_entropy_scratch_size(rows) elements
  double grad_scale = 1;            ///< gradient of the summed loss that comes in, e.g. 1 / total weight for a mean
  double label_smoothing = 0;       ///< in [0, 1]
  Index rows = 0;
  Index classes = 0;
  std::int64_t ignore_index = -100;  ///< rows with this target have loss and gradient exactly 0
};

/// What cross_entropy found.
struct CrossEntropyTotal {
  double loss = 0;     ///< sum of the row losses, in f64, chunks added in order
  double weight = 0;   ///< sum of class_weight[target] over the counted rows: what a mean divides by
  Index counted = 0;   ///< rows that are not ignored
  Index bad_row = -1;  ///< first row whose target is neither a class nor ignore_index (treated as ignored), or -1
};

/// @return doubles that cross_entropy needs as scratch.
[[nodiscard]] Index cross_entropy_scratch_size(Index rows);

/// Per row, with s = label_smoothing, V = classes, w = class_weight and log p = log_softmax(logits):
/// loss = -(1 - s) w[target] log p[target] - s/V sum_c w[c] log p[c]; dlogits = grad_scale * row_scale * d loss.
/// A row whose target has logit -inf has loss inf; in a row of nothing but -inf the gradient is 0.
/// Threads: same bits at any number.
template <class T, class Id>
CrossEntropyTotal cross_entropy(const CrossEntropy<T, Id>& args);

}  // namespace minnow::kernels
