#pragma once
/// @file
/// What one row of cross entropy reads and writes; shared by the vector code and the reference.

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

template <class T>
struct CrossEntropyRow {
  const T* logits;        // (n)
  T* dlogits;             // (n) or null, may equal logits
  const T* class_weight;  // (n) or null
  Index n;
  Index target;
  double smoothing;  // label smoothing s
  double scale;      // multiplies the gradient
};

// With w = class_weight, lse = ln sum e^logits and sum_w_logits = sum_c w[c] (lse - logits[c]):
// loss = (1 - s) w[t] (lse - logits[t]) + s/n sum_w_logits.
template <class T>
double cross_entropy_loss(const CrossEntropyRow<T>& row, double log_probability, double weighted_sum) {
  const double weight = row.class_weight != nullptr ? row.class_weight[row.target] : T(1);
  double loss = row.smoothing < 1 ? -(1 - row.smoothing) * weight * log_probability : 0;
  if (row.smoothing > 0) loss += row.smoothing / static_cast<double>(row.n) * weighted_sum;
  return loss;
}

}  // namespace minnow::kernels
