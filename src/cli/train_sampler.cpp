#include "cli/train_sampler.hpp"

#include <fmt/format.h>

#include "cli/signals.hpp"
#include "minnow/gen/generate.hpp"

namespace minnow::cli {
namespace {

std::string sample_text(LanguageModel& model, const Dataset& data, const SampleConfig& sample, std::uint64_t seed,
                        std::int64_t step) {
  const Tokenizer* const tokenizer = data.tokenizer().get();
  if (tokenizer == nullptr) return "";
  GenerateOptions options;
  options.sampler = {.temperature = sample.temperature,
                     .top_k = sample.top_k,
                     .seed = seed ^ (static_cast<std::uint64_t>(step) << 20U)};
  options.count = sample.count;
  options.max_tokens = sample.max_tokens;
  options.interrupted = [] { return stop_exit_code() != 0; };
  const auto prompt = prompt_ids(*tokenizer, sample.prompt, data.document_start(), UnknownCharacter::kReplace);
  std::string text;
  for (const Generation& one : generate(model, tokenizer, prompt, options)) {
    text += fmt::format("{}{}{}", text.empty() ? "" : "\n---\n", sample.prompt, one.text);
  }
  return text;
}

}  // namespace

TextSampler train_sampler() { return sample_text; }

}  // namespace minnow::cli
