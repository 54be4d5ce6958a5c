#include "minnow/gen/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gen/window.hpp"
#include "minnow/autograd/backward.hpp"
#include "minnow/base/error.hpp"
#include "minnow/gen/stop_strings.hpp"
#include "minnow/text/stream_decoder.hpp"

namespace minnow {
namespace {

/// The text of one sample on its way out: tokens in, pieces to the sink.
class TextOut {
 public:
  /// @param begins  the prompt has no text
  TextOut(const Tokenizer* tokenizer, bool begins, const GenerateOptions& options, Index sample)
      : options_(options), sample_(sample), stops_(options.stop) {
    if (tokenizer != nullptr) decoder_.emplace(*tokenizer, begins);
  }

  /// @return false when a stop string is complete.
  bool push(std::int32_t id, std::string& text) {
    if (decoder_) emit(stops_.push(decoder_->push(id)), text);
    return !stops_.stopped();
  }

  void finish(std::string& text) {
    if (decoder_ && !stops_.stopped()) {
      emit(stops_.push(decoder_->finish()), text);
      emit(stops_.finish(), text);
    }
    if (options_.on_end) options_.on_end(sample_);
  }

 private:
  void emit(const std::string& piece, std::string& text) const {
    if (piece.empty()) return;
    text += piece;
    if (options_.sink) options_.sink(sample_, piece);
  }

  const GenerateOptions& options_;
  Index sample_;
  StopStrings stops_;
  std::optional<StreamDecoder> decoder_;
};

void check(const LanguageModel& model, const Tokenizer* tokenizer, std::span<const std::int32_t> prompt,
           const GenerateOptions& options) {
  options.sampler.validate();
  if (options.count < 1) throw ConfigError(fmt::format("[sample] count must be at least 1; got {}", options.count));
  if (options.max_tokens < 0) {
    throw ConfigError(fmt::format("[sample] max_tokens must be 0 or more; got {}", options.max_tokens));
  }
  if (tokenizer == nullptr && !options.stop.empty()) {
    throw ConfigError("[sample] stop strings need a tokenizer; this model has none");
  }
  if (prompt.empty()) throw DataError("[sample] a prompt must hold at least one token; got none");
  for (const std::int32_t id : prompt) {
    if (id < 0 || id >= model.vocab_size()) {
      throw DataError(
          fmt::format("[sample] token ids of the prompt must lie in 0 .. {}; got {}", model.vocab_size() - 1, id));
    }
  }
}

/// All samples of one call.
class Generator {
 public:
  Generator(LanguageModel& model, const Tokenizer* tokenizer, std::span<const std::int32_t> prompt,
            const GenerateOptions& options)
      : options_(options),
        tokenizer_(tokenizer),
        window_(model, prompt, options.count, static_cast<Index>(prompt.size()) + options.max_tokens,
                options.use_cache),
        results_(static_cast<std::size_t>(options.count)) {
    const bool begins = tokenizer != nullptr && std::all_of(prompt.begin(), prompt.end(), [&](std::int32_t id) {
                          return id < tokenizer->vocab_size() && tokenizer->bytes_of(id).empty();
                        });
    for (Index sample = 0; sample < options.count; ++sample) {
      outs_.emplace_back(tokenizer, begins, options, sample);
      alive_.push_back(sample);
    }
    if (tokenizer != nullptr) boundary_ = tokenizer->boundary_id();
  }

  std::vector<Generation> run() {
    for (Index step = 0; step < options_.max_tokens && !alive_.empty(); ++step) {
      if (options_.interrupted && options_.interrupted()) {
        end_all(FinishReason::kInterrupted);
        return std::move(results_);
      }
      advance();
    }
    end_all(FinishReason::kMaxTokens);
    return std::move(results_);
  }

 private:
  /// @return scores that count: a model's vocabulary may be padded beyond the tokenizer's.
  [[nodiscard]] std::size_t usable(std::size_t width) const {
    return tokenizer_ == nullptr ? width : std::min(width, static_cast<std::size_t>(tokenizer_->vocab_size()));
  }

  /// Chooses one token for every sample that goes on.
  void advance() {
    const Tensor scores = window_.next_scores();  // (R, V)
    const auto width = static_cast<std::size_t>(scores.size(1));
    const std::size_t known = usable(width);
    std::vector<std::int32_t> chosen(alive_.size());
    std::vector<Index> kept;
    for (std::size_t row = 0; row < alive_.size(); ++row) {
      const Index sample = alive_[row];
      const std::span<const float> mine(scores.data<float>() + row * width, known);
      if (options_.on_scores) options_.on_scores(sample, mine);
      chosen[row] =
          sample_token(mine, window_.sequence(static_cast<Index>(row)), options_.sampler, sample, window_.length());
      if (take(sample, chosen[row])) kept.push_back(static_cast<Index>(row));
    }
    window_.append(chosen);
    if (kept.size() == alive_.size()) return;
    std::vector<Index> alive;
    alive.reserve(kept.size());
    for (const Index row : kept) alive.push_back(alive_[static_cast<std::size_t>(row)]);
    alive_ = std::move(alive);
    if (!kept.empty()) window_.keep_rows(kept);
  }

  /// @return whether the sample goes on behind this token.
  bool take(Index sample, std::int32_t id) {
    Generation& result = results_[static_cast<std::size_t>(sample)];
    if (boundary_ && id == *boundary_) {
      end(sample, FinishReason::kBoundary);
      return false;
    }
    result.ids.push_back(id);
    if (outs_[static_cast<std::size_t>(sample)].push(id, result.text)) return true;
    end(sample, FinishReason::kStopString);
    return false;
  }

  void end(Index sample, FinishReason reason) {
    Generation& result = results_[static_cast<std::size_t>(sample)];
    result.reason = reason;
    outs_[static_cast<std::size_t>(sample)].finish(result.text);
  }

  void end_all(FinishReason reason) {
    for (const Index sample : alive_) end(sample, reason);
    alive_.clear();
  }

  const GenerateOptions& options_;
  const Tokenizer* tokenizer_;
  Window window_;
  std::vector<Generation> results_;
  std::vector<TextOut> outs_;  // by sample
  std::vector<Index> alive_;   // sample of each row of the window
  std::optional<std::int32_t> boundary_;
};

}  // namespace

std::string_view name_of(FinishReason reason) {
  switch (reason) {
    case FinishReason::kMaxTokens:
      return "max_tokens";
    case FinishReason::kBoundary:
      return "boundary";
    case FinishReason::kStopString:
      return "stop_string";
    case FinishReason::kInterrupted:
      return "interrupted";
  }
  return "?";
}

std::vector<std::int32_t> prompt_ids(const Tokenizer& tokenizer, std::string_view text,
                                     std::optional<std::int32_t> start, UnknownCharacter unknown) {
  std::vector<std::int32_t> ids;
  if (start) ids.push_back(*start);
  tokenizer.encode_into(text, ids, unknown);
  if (ids.empty()) {
    try {
      ids = tokenizer.encode("\n", UnknownCharacter::kError);
    } catch (const DataError&) {
      ids = {0};
    }
  }
  return ids;
}

std::vector<Generation> generate(LanguageModel& model, const Tokenizer* tokenizer, std::span<const std::int32_t> prompt,
                                 const GenerateOptions& options) {
  check(model, tokenizer, prompt, options);
  const NoGrad no_grad;
  return Generator(model, tokenizer, prompt, options).run();
}

}  // namespace minnow
