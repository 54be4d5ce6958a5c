#pragma once
/// @file
/// Chooses the next token from a model's scores: filters in a fixed order, then one draw from a counter-based key.

#include <cstdint>
#include <span>
#include <vector>

#include "minnow/base/parallel.hpp"
#include "minnow/base/philox.hpp"

namespace minnow {

/// How tokens are chosen. The filters work in the order of the members; each one sees what the earlier ones left, and
/// at least one token always remains.
struct SamplerOptions {
  /// Scores of tokens among the last `repetition_window` ones (prompt included) are divided by this where positive and
  /// multiplied where negative; 1 = off. Source: Keskar et al. 2019, CTRL, section 4.1.
  double repetition_penalty = 1;
  Index repetition_window = 0;  ///< tokens looked back at; 0 = all that the sequence holds
  double temperature = 1;  ///< weights are exp(score / temperature); 0 = greedy: the likeliest token, lowest id first
  Index top_k = 0;         ///< keep the k likeliest; 0, or more than there are, = off. Of equals the lower id stays
  double top_p = 1;        ///< keep the likeliest until their probabilities reach p; 1 = off
  double min_p = 0;        ///< keep those with at least min_p times the probability of the likeliest; 0 = off
  std::uint64_t seed = 1;

  /// Throws: ConfigError naming the value that is out of range: temperature and repetition_window >= 0, top_k >= 0,
  /// 0 < top_p <= 1, 0 <= min_p <= 1, repetition_penalty > 0, all finite.
  void validate() const;
};

/// Applies every filter.
/// @param scores (V) logits; -inf excludes a token
/// @param history ids so far, the latest last; ids outside 0 .. V-1 are ignored
/// @return (V) weights >= 0, not normalised, the largest 1; greedy gives a single 1. Computed in f64.
/// Throws: NumericError when a score is NaN or +inf, or all are -inf; ConfigError from validate().
[[nodiscard]] std::vector<double> sampling_weights(std::span<const float> scores, std::span<const std::int32_t> history,
                                                   const SamplerOptions& options);

/// Draws an index with probability weight / sum of weights. Weights of 0 are never drawn.
/// @param weights not negative, finite, at least one positive
/// @param key the draw takes its words 0 and 1 of block 0: 53 bits
/// Throws: NumericError for weights that are negative, not finite or all 0.
[[nodiscard]] std::int32_t draw_index(std::span<const double> weights, const RandomKey& key);

/// @return the key of one choice: it depends on these three numbers alone, so a sample is the same text whatever runs
/// beside it.
/// @param sample number of the sample, from 0
/// @param position tokens that stand before the chosen one
[[nodiscard]] RandomKey sampling_key(std::uint64_t seed, Index sample, Index position);

/// Chooses a token: sampling_weights, then draw_index with sampling_key.
/// Throws: as these two.
[[nodiscard]] std::int32_t sample_token(std::span<const float> scores, std::span<const std::int32_t> history,
                                        const SamplerOptions& options, Index sample, Index position);

}  // namespace minnow
