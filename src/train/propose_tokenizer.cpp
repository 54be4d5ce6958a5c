#include "train/propose_tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/text/bpe_tokenizer.hpp"
#include "minnow/text/bpe_trainer.hpp"
#include "minnow/text/load_tokenizer.hpp"
#include "train/text_sample.hpp"

namespace minnow {
namespace {

constexpr std::int64_t kMostCharacterKinds = 256;
constexpr std::int64_t kBytesForPairs = 50'000;

/// Counts tokens and says what became of the vocabulary.
void measure_pairs(const TokenizerQuestion& question, const TextSample& sample, TokenizerProposal& made) {
  std::size_t ids = 0;
  for (const std::string_view view : sample.views())
    ids += made.tokenizer->encode(view, UnknownCharacter::kReplace).size();
  const double share = static_cast<double>(question.text.text_bytes) / static_cast<double>(sample.bytes.size());
  made.tokens = static_cast<double>(ids) * share;
  made.vocab_size = made.tokenizer->vocab_size();
}

std::string bytes_per_token(const TokenizerQuestion& question, const TokenizerProposal& made) {
  return fmt::format("{:.1f} bytes each", static_cast<double>(question.text.text_bytes) / std::max(1.0, made.tokens));
}

TextSample sample_of(const TokenizerQuestion& question) {
  return sample_text(question.files, question.text_field, question.text.text_bytes);
}

TokenizerProposal learned_pairs(const TokenizerQuestion& question, const std::string& why) {
  TokenizerProposal made;
  made.config.type = TokenizerKind::kBpe;
  made.config.vocab_size =
      question.vocab_size > 0 ? question.vocab_size : fitting_vocabulary(question.text.text_bytes, question.minutes);
  if (question.report) question.report("learning byte pairs");
  const TextSample sample = sample_of(question);
  BpeTraining learn{.vocab_size = made.config.vocab_size, .min_frequency = made.config.min_frequency};
  if (question.documents) learn.special = {std::string(kBoundaryPiece)};
  made.tokenizer = std::make_shared<BpeTokenizer>(train_bpe(sample.views(), learn));
  measure_pairs(question, sample, made);
  made.reason = fmt::format("Tokens are frequent byte strings (bpe), {} of them, {}{}.", grouped(made.vocab_size),
                            bytes_per_token(question, made), why);
  return made;
}

TokenizerProposal loaded_pairs(const TokenizerQuestion& question) {
  TokenizerProposal made;
  made.config.type = TokenizerKind::kBpe;
  made.config.path = question.wanted;
  made.tokenizer = load_tokenizer(question.wanted);
  if (made.tokenizer->name() != "bpe") {
    throw DataError(fmt::format(
        "[new] --tokenizer must name a byte-pair encoding; {} holds a {}-level tokenizer. Hint: --tokenizer char or "
        "byte makes one of these from the text.",
        question.wanted, made.tokenizer->name()));
  }
  measure_pairs(question, sample_of(question), made);
  made.reason = fmt::format("Tokens are those of {}: {} in its vocabulary, {}.", question.wanted,
                            grouped(made.vocab_size), bytes_per_token(question, made));
  return made;
}

TokenizerProposal by_units(const TokenizerQuestion& question, bool characters, std::string reason) {
  TokenizerProposal made;
  made.config.type = characters ? TokenizerKind::kChar : TokenizerKind::kByte;
  made.config.unknown = UnknownPolicy::kReplace;
  made.vocab_size = characters ? question.text.distinct_characters : 256;
  made.tokens = static_cast<double>(characters ? question.text.characters : question.text.text_bytes);
  made.by_characters = characters;
  made.reason = std::move(reason);
  return made;
}

std::int64_t ill_formed_in(const CheckReport& text) {
  for (const CheckFinding& finding : text.findings) {
    if (finding.kind == "encoding") return finding.count;
  }
  return 0;
}

TokenizerProposal fitting_tokenizer(const TokenizerQuestion& question) {
  const CheckReport& text = question.text;
  const std::int64_t ill_formed = ill_formed_in(text);
  const bool few = text.distinct_characters <= kMostCharacterKinds && ill_formed == 0;
  const std::string kinds = grouped(text.distinct_characters);
  if (question.words_alone && few)
    return by_units(question, true,
                    fmt::format("Tokens are characters, {} different ones: the text is words by themselves, and what "
                                "there is to learn is spelling.",
                                kinds));
  if (text.text_bytes >= kBytesForPairs) {
    return learned_pairs(question, few ? ": the text is long enough to learn them well"
                                       : fmt::format(": {} different characters would make a large table, mostly of "
                                                     "rare ones",
                                                     kinds));
  }
  if (few) {
    return by_units(question, true,
                    fmt::format("Tokens are characters: the text has only {} different ones, and is too short to learn "
                                "longer tokens.",
                                kinds));
  }
  return by_units(
      question, false,
      ill_formed > 0
          ? fmt::format("Tokens are bytes: {} places of the text are not UTF-8, and bytes keep them as they are.",
                        grouped(ill_formed))
          : fmt::format("Tokens are bytes: {} different characters would make a large table, mostly of rare ones.",
                        kinds));
}

}  // namespace

std::int64_t fitting_vocabulary(std::int64_t text_bytes, double minutes) {
  constexpr std::int64_t kFewest = 512, kMost = 16'384;
  constexpr double kBytesOfToken = 90;  // of text, for each token
  constexpr double kInAMinute = 2048;   // tokens
  constexpr double kGrowthWithTime = 0.3;
  const double by_time = kInAMinute * std::pow(minutes, kGrowthWithTime);
  const double most = std::min(static_cast<double>(text_bytes) / kBytesOfToken, by_time);
  std::int64_t size = kFewest;
  while (size < kMost && static_cast<double>(2 * size) <= most) size *= 2;
  return size;
}

TokenizerProposal propose_tokenizer(const TokenizerQuestion& question) {
  if (question.wanted == "auto")
    return question.vocab_size > 0 ? learned_pairs(question, ", as you asked") : fitting_tokenizer(question);
  if (question.wanted == "bpe") return learned_pairs(question, ", as you asked");
  if (question.wanted == "char" || question.wanted == "byte") {
    return by_units(question, question.wanted == "char",
                    fmt::format("Tokens are {}, as you asked.", question.wanted == "char" ? "characters" : "bytes"));
  }
  return loaded_pairs(question);
}

}  // namespace minnow
