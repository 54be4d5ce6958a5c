#include "minnow/gen/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

#include "minnow/base/error.hpp"
#include "minnow/nn/streams.hpp"

namespace minnow {
namespace {

void require(bool holds, std::string_view rule, double got) {
  if (!holds) throw ConfigError(fmt::format("[sample] {}; got {}", rule, got));
}

/// Refuses scores that no probability can be made of.
void check_scores(std::span<const float> scores) {
  bool any = false;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i]) || scores[i] == std::numeric_limits<float>::infinity()) {
      throw NumericError(fmt::format(
          "[sample] the scores of the next token must be numbers; got {} for token {}. Hint: the model's weights are "
          "damaged or its training diverged; try an earlier checkpoint",
          scores[i], i));
    }
    any = any || scores[i] != -std::numeric_limits<float>::infinity();
  }
  if (!any) throw NumericError("[sample] at least one token must have a score above -inf; got none");
}

void penalize(std::vector<double>& scores, std::span<const std::int32_t> history, const SamplerOptions& options) {
  const auto window = static_cast<std::size_t>(options.repetition_window);
  if (window > 0 && window < history.size()) history = history.last(window);
  std::vector<char> seen(scores.size(), 0);
  for (const std::int32_t id : history) {
    const auto i = static_cast<std::size_t>(id);
    if (id < 0 || i >= scores.size() || seen[i] != 0) continue;
    seen[i] = 1;
    scores[i] *= scores[i] > 0 ? 1 / options.repetition_penalty : options.repetition_penalty;
  }
}

/// Tokens in the order in which the filters keep them.
struct Likelier {
  const std::vector<double>* weights;
  bool operator()(std::size_t a, std::size_t b) const {
    const double wa = (*weights)[a];
    const double wb = (*weights)[b];
    return wa != wb ? wa > wb : a < b;
  }
};

/// Sets the weights outside `kept` to 0.
void keep_only(std::vector<double>& weights, std::span<const std::size_t> kept) {
  std::vector<double> left(weights.size(), 0);
  for (const std::size_t i : kept) left[i] = weights[i];
  weights = std::move(left);
}

std::vector<std::size_t> candidates(const std::vector<double>& weights) {
  std::vector<std::size_t> ids;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) ids.push_back(i);
  }
  return ids;
}

void apply_top_k(std::vector<double>& weights, Index k) {
  std::vector<std::size_t> ids = candidates(weights);
  const auto count = static_cast<std::size_t>(k);
  if (count >= ids.size()) return;
  std::nth_element(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count), ids.end(), Likelier{&weights});
  keep_only(weights, std::span(ids).first(count));
}

void apply_top_p(std::vector<double>& weights, double p) {
  std::vector<std::size_t> ids = candidates(weights);
  std::sort(ids.begin(), ids.end(), Likelier{&weights});
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double sum = 0;
  std::size_t count = 0;
  while (count < ids.size() && (count == 0 || sum < p * total)) sum += weights[ids[count++]];
  keep_only(weights, std::span(ids).first(count));
}

}  // namespace

void SamplerOptions::validate() const {
  require(std::isfinite(temperature) && temperature >= 0, "temperature must be 0 (greedy) or more", temperature);
  require(top_k >= 0, "top_k must be 0 (off) or more", static_cast<double>(top_k));
  require(top_p > 0 && top_p <= 1, "top_p must be above 0 and at most 1 (off)", top_p);
  require(min_p >= 0 && min_p <= 1, "min_p must be from 0 (off) to 1", min_p);
  require(std::isfinite(repetition_penalty) && repetition_penalty > 0, "repetition_penalty must be above 0 (1 is off)",
          repetition_penalty);
  require(repetition_window >= 0, "repetition_window must be 0 (everything) or more",
          static_cast<double>(repetition_window));
}

std::vector<double> sampling_weights(std::span<const float> scores, std::span<const std::int32_t> history,
                                     const SamplerOptions& options) {
  options.validate();
  check_scores(scores);
  std::vector<double> weights(scores.begin(), scores.end());
  if (options.repetition_penalty != 1) penalize(weights, history, options);
  const auto best = std::max_element(weights.begin(), weights.end());  // the first of equals
  if (options.temperature == 0) {
    const auto id = static_cast<std::size_t>(best - weights.begin());
    std::fill(weights.begin(), weights.end(), 0.0);
    weights[id] = 1;
    return weights;
  }
  const double highest = *best;
  for (double& weight : weights) {  // the difference first: a tiny temperature then gives 0, not inf - inf
    weight = weight == highest ? 1 : std::exp((weight - highest) / options.temperature);
  }
  if (options.top_k > 0) apply_top_k(weights, options.top_k);
  if (options.top_p < 1) apply_top_p(weights, options.top_p);
  if (options.min_p > 0) {
    for (double& weight : weights) weight = weight < options.min_p ? 0 : weight;  // the largest weight is 1
  }
  return weights;
}

std::int32_t draw_index(std::span<const double> weights, const RandomKey& key) {
  double total = 0;
  std::size_t last = weights.size();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= 0) || !std::isfinite(weights[i])) {
      throw NumericError(fmt::format("[sample] weights must be finite and not negative; got {} at {}", weights[i], i));
    }
    total += weights[i];
    if (weights[i] > 0) last = i;
  }
  if (last == weights.size() || !std::isfinite(total)) {
    throw NumericError("[sample] at least one weight must be positive and their sum finite");
  }
  const PhiloxBlock words = random_block(key, 0);
  const std::uint64_t bits = (static_cast<std::uint64_t>(words[0]) << 32U | words[1]) >> 11U;
  const double target = static_cast<double>(bits) * 0x1p-53 * total;
  double sum = 0;
  for (std::size_t i = 0; i < last; ++i) {  // a weight of 0 does not raise the sum, so it can't be the first above
    sum += weights[i];
    if (weights[i] > 0 && sum > target) return static_cast<std::int32_t>(i);
  }
  return static_cast<std::int32_t>(last);
}

RandomKey sampling_key(std::uint64_t seed, Index sample, Index position) {
  return {.seed = seed,
          .stream = kStreamSample + static_cast<std::uint32_t>(sample),
          .step = static_cast<std::uint64_t>(position)};
}

std::int32_t sample_token(std::span<const float> scores, std::span<const std::int32_t> history,
                          const SamplerOptions& options, Index sample, Index position) {
  if (options.temperature == 0 && options.repetition_penalty == 1) {  // one pass instead of five
    options.validate();
    check_scores(scores);
    return static_cast<std::int32_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  }
  return draw_index(sampling_weights(scores, history, options), sampling_key(options.seed, sample, position));
}

}  // namespace minnow
