#pragma once
/// @file
/// Declares the options of verbs that let a model write: how tokens are chosen, and with how many threads.

#include <cstdint>

#include "cli/options.hpp"
#include "minnow/gen/sampler.hpp"
#include "minnow/models/language_model.hpp"

namespace minnow::cli {

/// What was typed.
struct SamplerWords {
  SamplerOptions filters{.temperature = 0.8};
  std::int64_t seed = 1;

  /// @return all of it. Throws: ConfigError for what is out of range.
  [[nodiscard]] SamplerOptions options() const;
};

/// Declares `--temperature` and the other filters, and `--seed`.
void sampler_options(Options& options, SamplerWords& words);

/// Sets the threads that write. A small model is written by one: waking the others would take longer than the work,
/// many times so on a busy machine, where they wait for a processor. Changes no bit of the text.
/// @param chosen --threads; 0 = what suits the model and the number of samples
void use_writing_threads(LanguageModel& model, std::int64_t samples, std::int64_t chosen);

}  // namespace minnow::cli
