#pragma once
/// @file
/// Plain form of one row of cross entropy: the specification of the vector code, and what f64 runs.

#include <cmath>
#include <limits>

#include "kernels/cross_entropy_row.hpp"
#include "kernels/reference/vector_math.hpp"

namespace minnow::kernels::reference {

// @return the loss of the row; the gradient goes to row.dlogits:
// d loss / d logits[c] = p[c] ((1 - s) w[t] + s/n sum w) - (1 - s) w[t] [c = t] - s/n w[c].
template <class T>
double cross_entropy_row(const CrossEntropyRow<T>& row) {
  const T top = vmax(row.logits, row.n);
  if (top == -std::numeric_limits<T>::infinity()) {
    for (Index c = 0; c < row.n && row.dlogits != nullptr; ++c) row.dlogits[c] = 0;
    return std::numeric_limits<double>::infinity();
  }
  const auto weight = [&](Index c) { return row.class_weight != nullptr ? row.class_weight[c] : T(1); };
  T sum = 0;
  double weights = 0;
  for (Index c = 0; c < row.n; ++c) {
    sum += std::exp(row.logits[c] - top);
    weights += weight(c);
  }
  const double log_sum = std::log(sum);
  const auto log_p = [&](Index c) { return static_cast<double>(row.logits[c]) - top - log_sum; };
  double weighted = 0;
  for (Index c = 0; c < row.n && row.smoothing > 0; ++c) {
    if (weight(c) != 0) weighted -= weight(c) * log_p(c);
  }
  const double loss = cross_entropy_loss(row, log_p(row.target), weighted);
  if (row.dlogits == nullptr) return loss;
  const double share = row.smoothing / static_cast<double>(row.n);
  const double target_part = (1 - row.smoothing) * weight(row.target);
  const double factor = row.scale * (target_part + share * weights) / sum;
  for (Index c = 0; c < row.n; ++c) {
    double d = std::exp(row.logits[c] - top) * factor;
    if (row.smoothing > 0) d -= row.scale * share * weight(c);
    if (c == row.target) d -= row.scale * target_part;
    row.dlogits[c] = static_cast<T>(d);
  }
  return loss;
}

}  // namespace minnow::kernels::reference
