#pragma once
/// @file
/// Tells how the time of a training step grows with the model, the batch and the threads.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minnow {

/// One measured size.
struct ScalingPoint {
  std::int64_t size = 0;  ///< of what the sweep changes
  double seconds = 0;     ///< of a training step, the best of several
  double flops = 0;       ///< of that step
};

/// Growth from one size to the next.
struct ScalingGrowth {
  double time = 0;    ///< time at the larger size / time at the smaller one
  double flops = 0;   ///< likewise
  bool fast = false;  ///< time grows faster than the arithmetic, by more than kScalingTolerance
  [[nodiscard]] double ratio() const { return flops > 0 ? time / flops : 0; }
};

/// How much faster time may grow before it is flagged: what a shared machine's clock and noise are good for.
inline constexpr double kScalingTolerance = 0.15;

/// Sizes of one letter, all others fixed.
struct ScalingSweep {
  std::string letter;  ///< "C", "T", "L", "B" or "threads"
  std::string fixed;   ///< "B 8, T 64, L 2, H 4, V 65; 2 threads"
  std::vector<ScalingPoint> points;

  /// @return from point i to point i + 1.
  [[nodiscard]] ScalingGrowth growth(std::size_t i) const;
  /// @return exponents p of size^p through the points in the sense of least squares, of the time and of the flops; 0
  /// where there are fewer than two.
  [[nodiscard]] double time_exponent() const;
  [[nodiscard]] double flops_exponent() const;
  /// @return whether any step grows faster than the arithmetic.
  [[nodiscard]] bool fast() const;
};

/// @param about what was measured, one line
/// @return one HTML file that opens offline: a plot with both scales logarithmic and a table for each sweep.
[[nodiscard]] std::string scaling_page(std::span<const ScalingSweep> sweeps, std::string_view about,
                                       std::string_view version);

}  // namespace minnow
