// Softmax of attention tiles for double: plain loops, for gradient checks.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/attention_rows.hpp"

namespace minnow::kernels {
namespace {

constexpr double kMinusInf = -std::numeric_limits<double>::infinity();

double keep_of(const TileDropout<double>& drop, Index at) {
  if (drop.bits == nullptr) return 1;
  return drop.bits[at] < drop.threshold ? 0 : drop.keep_scale;
}

/// Largest element, NaN when there is one, -inf of none.
double max_of(const double* s, Index low, Index high) {
  double best = kMinusInf;
  for (Index i = low; i < high; ++i)
    if (s[i] > best || std::isnan(s[i])) best = s[i];
  return best;
}

}  // namespace

template <>
void softmax_tile<double>(const ScoreTile<double>& tile, const TileDropout<double>& drop, double* max, double* sum,
                          double* correction) {
  for (Index r = 0; r < tile.rows; ++r) {
    double* s = tile.s + r * tile.ld;
    const Index low = tile.low[r], high = std::max(low, tile.high[r]);
    const double old = max[r], here = max_of(s, low, high);
    const double now = std::isnan(old) || std::isnan(here) ? old + here : std::max(old, here);
    correction[r] = 1;
    std::fill(s, s + low, 0.0);
    std::fill(s + high, s + tile.width, 0.0);
    if (now == kMinusInf) {
      std::fill(s + low, s + high, 0.0);
      continue;
    }
    double here_sum = 0;
    for (Index i = low; i < high; ++i) {
      const double e = std::exp(s[i] - now);
      here_sum += e;
      s[i] = e * keep_of(drop, r * tile.ld + i);
    }
    if (old != now) correction[r] = old == kMinusInf ? 0.0 : std::exp(old - now);
    sum[r] = sum[r] * correction[r] + here_sum;
    max[r] = now;
  }
}

template <>
void weights_tile<double>(const ScoreTile<double>& tile, const double* lse) {
  for (Index r = 0; r < tile.rows; ++r) {
    double* s = tile.s + r * tile.ld;
    for (Index i = 0; i < tile.width; ++i) {
      const bool inside = i >= tile.low[r] && i < tile.high[r] && lse[r] != kMinusInf;
      s[i] = inside ? std::exp(s[i] - lse[r]) : 0.0;
    }
  }
}

template <>
void softmax_backward_tile<double>(const ScoreTile<double>& tile, const TileDropout<double>& drop,
                                   const BackwardTile<double>& back) {
  for (Index r = 0; r < tile.rows; ++r) {
    double *s = tile.s + r * tile.ld, *dp = back.dp + r * tile.ld;
    for (Index i = 0; i < tile.width; ++i) {
      const bool inside = i >= tile.low[r] && i < tile.high[r] && back.lse[r] != kMinusInf;
      if (!inside) {
        s[i] = dp[i] = 0;
        continue;
      }
      const double p = std::exp(s[i] - back.lse[r]), keep = keep_of(drop, r * tile.ld + i);
      s[i] = p * keep;
      dp[i] = p * (dp[i] * keep - back.delta[r]) * back.scale;
    }
  }
}

template <>
void dot_rows<double>(double* to, const double* a, Index lda, const double* b, Index ldb, Index rows, Index n) {
  for (Index r = 0; r < rows; ++r) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) sum += a[r * lda + i] * b[r * ldb + i];
    to[r] = sum;
  }
}

}  // namespace minnow::kernels
