#pragma once
/// @file
/// Continues a prompt with a causal language model: several samples at once, streamed as text.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/gen/sampler.hpp"
#include "minnow/models/language_model.hpp"
#include "minnow/text/tokenizer.hpp"

namespace minnow {

/// Why a sample ended.
enum class FinishReason {
  kMaxTokens,    ///< max_tokens were written
  kBoundary,     ///< the model closed the document
  kStopString,   ///< one of the stop strings was about to be written
  kInterrupted,  ///< the caller asked to stop
};

/// @return "max_tokens", "boundary", "stop_string" or "interrupted".
[[nodiscard]] std::string_view name_of(FinishReason reason);

/// What to write. (Each member has an initializer, so that a few can be named and the rest left.)
struct GenerateOptions {
  SamplerOptions sampler{};
  Index count = 1;         ///< samples, all from the same prompt
  Index max_tokens = 200;  ///< per sample
  std::vector<std::string> stop{};
  bool use_cache = true;  ///< false: every step reads the whole window again (slow; the same text)
  /// Takes the text of sample 0 .. count - 1 piece by piece: valid UTF-8, the pieces add up to Generation::text.
  std::function<void(Index sample, std::string_view piece)> sink{};
  /// Sees the scores (V) that each token is chosen from, before the filters.
  std::function<void(Index sample, std::span<const float> scores)> on_scores{};
  /// Called when a sample has ended, after its last piece.
  std::function<void(Index sample)> on_end{};
  /// Asked before every token; true ends all samples.
  std::function<bool()> interrupted{};
};

/// One sample.
struct Generation {
  std::vector<std::int32_t> ids;  ///< chosen tokens, a closing boundary not included
  std::string text;               ///< without prompt, ending before the stop string; empty without a tokenizer
  FinishReason reason = FinishReason::kMaxTokens;
};

/// The ids that a text starts a model with: what the model has seen in front of every document, then the text. Without
/// that an empty text starts with a line feed where the vocabulary has one, else with id 0, so there is always at least
/// one id.
/// @param start  LoadedRun::prompt_start, or Dataset::document_start of what is learned from
/// Throws: DataError for a character that the vocabulary lacks, under UnknownCharacter::kError.
[[nodiscard]] std::vector<std::int32_t> prompt_ids(const Tokenizer& tokenizer, std::string_view text,
                                                   std::optional<std::int32_t> start,
                                                   UnknownCharacter unknown = UnknownCharacter::kError);

/// Continues `prompt` count times.
///
/// A model with learned positions holds block_size of them. Of a longer prompt the last block_size tokens count. When
/// the window is full, its last half (at least one token) is read again from position 0 and writing goes on: so a text
/// has no length limit, and every token is chosen with at least half a window of context. Models whose positions go on
/// read everything; their cache grows.
///
/// A sample's draws depend on (seed, its number, position) alone. Passes hold at least two rows, because a product of
/// one row may differ in the last bits from the same row among others: so the text of sample i is the same for any
/// count. Threads: the same text at any number.
/// @param prompt at least one id (prompt_ids)
/// @param tokenizer null for a model without one: no text, no boundary, no stop strings
/// @return one Generation per sample
/// Throws: ConfigError for options out of range, DataError for ids outside the vocabulary or no prompt, NumericError
/// when scores are not numbers.
std::vector<Generation> generate(LanguageModel& model, const Tokenizer* tokenizer, std::span<const std::int32_t> prompt,
                                 const GenerateOptions& options);

}  // namespace minnow
