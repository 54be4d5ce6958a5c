#pragma once
/// @file
/// Gives the learning rate of every step as a pure function.

#include <cstdint>

namespace minnow {

/// A learning-rate schedule. Steps count from 0; during the warm-up step s has peak (s + 1) / (warmup + 1), so neither
/// is the first rate 0 nor is the peak reached early.
struct Schedule {
  enum class Kind {
    kConstant,     ///< peak
    kCosine,       ///< half a cosine from peak to min at `total`, then min
    kLinear,       ///< a straight line from peak to min at `total`, then min
    kInverseSqrt,  ///< peak sqrt(warmup / s), with warmup at least 1
    kWsdLinear,    ///< peak, then over the last `decay` steps before `total` min + (peak - min) (1 - x)
    kWsdSqrt,      ///< likewise with 1 - sqrt(x)
    kNoam,         ///< width^-0.5 min(n^-0.5, n warmup^-1.5), n = s + 1; peak and min are not used
  } kind = Kind::kConstant;
  double peak = 1e-3;
  double min = 0;
  std::int64_t warmup = 0;  ///< steps
  std::int64_t total = 0;   ///< step at which min is reached
  std::int64_t decay = 0;   ///< steps, of the wsd kinds
  std::int64_t width = 1;   ///< of kNoam: model width C

  /// @return the learning rate of a step (0, 1, 2, ...).
  /// Source: nanoGPT (warm-up, cosine); Hu et al. 2024, MiniCPM (wsd); Vaswani et al. 2017 (noam).
  [[nodiscard]] double at(std::int64_t step) const;
};

}  // namespace minnow
