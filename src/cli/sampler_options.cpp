#include "cli/sampler_options.hpp"

#include <limits>

#include "cli/use_threads.hpp"

namespace minnow::cli {

SamplerOptions SamplerWords::options() const {
  SamplerOptions all = filters;
  all.seed = static_cast<std::uint64_t>(seed);
  all.validate();
  return all;
}

void sampler_options(Options& options, SamplerWords& words) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  SamplerOptions& filters = words.filters;
  options.number("--temperature", filters.temperature, "0 = always the likeliest token", 0, 1e6);
  options.integer("--top-k", filters.top_k, "Keep the k likeliest tokens; 0 = off", 0, kMost);
  options.number("--top-p", filters.top_p, "Keep the likeliest tokens up to this probability; above 0, 1 = off", 0, 1);
  options.number("--min-p", filters.min_p, "Keep tokens with this part of the likeliest's probability; 0 = off", 0, 1);
  options.number("--repetition-penalty", filters.repetition_penalty, "Lowers tokens already written; 1 = off", 1e-6,
                 1e6);
  options.integer("--repetition-window", filters.repetition_window, "Tokens the penalty looks back at; 0 = all", 0,
                  kMost);
  options.integer("--seed", words.seed, "Of the draws: the same seed gives the same text", 0, kMost);
}

void use_writing_threads(LanguageModel& model, std::int64_t samples, std::int64_t chosen) {
  constexpr std::int64_t kSharedWork = 8'000'000;  // weights times rows of a token
  const bool small = model.parameters().count() < kSharedWork / samples;
  use_threads(chosen == 0 && small ? 1 : chosen);
}

}  // namespace minnow::cli
