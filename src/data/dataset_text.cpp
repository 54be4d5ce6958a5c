#include <fmt/format.h>

#include <algorithm>

#include "data/corpus_files.hpp"
#include "data/dataset_parts.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/data/dialogue_corpus.hpp"
#include "minnow/text/bpe_tokenizer.hpp"
#include "minnow/text/bpe_trainer.hpp"
#include "minnow/text/byte_tokenizer.hpp"
#include "minnow/text/char_tokenizer.hpp"
#include "minnow/text/load_tokenizer.hpp"
#include "minnow/text/utf8.hpp"
#include "minnow/text/word_tokenizer.hpp"
#include "minnow/text/word_trainer.hpp"

namespace minnow {
namespace {

using Texts = std::vector<std::string_view>;

// Bytes of text encoded at once: bounds the ids held at full width.
constexpr std::size_t kEncodePart = 1U << 16;
// Byte pairs take longer: parts of which all threads get some.
constexpr std::size_t kBpePart = 1U << 20;

TextCorpus load(const std::string& path, const DatasetOptions& options) {
  if (!names_builtin(path)) return read_text_files(path, options.documents, options.text_field);
  return make_text_corpus(builtin_corpus(path, options.builtin_bytes, options.builtin_seed), path, options.documents);
}

struct SplitTexts {
  Texts train, val;
};

/// Cuts the stream after its first floor(n (1 - f)) characters.
SplitTexts split_stream(const Texts& texts, double fraction) {
  std::size_t total = 0;
  for (const std::string_view text : texts) total += count_characters(text);
  auto left = static_cast<std::size_t>(training_part(static_cast<std::int64_t>(total), fraction));
  SplitTexts parts;
  for (const std::string_view text : texts) {
    const std::size_t border = byte_position(text, left);
    if (border > 0) parts.train.push_back(text.substr(0, border));
    if (border < text.size()) parts.val.push_back(text.substr(border));
    left -= border < text.size() ? left : count_characters(text);
  }
  return parts;
}

SplitTexts split_documents(const Texts& texts, const DatasetOptions& options) {
  const auto count = static_cast<std::int64_t>(texts.size());
  const std::int64_t border = training_part(count, options.val_fraction);
  SplitTexts parts;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool validates =
        options.split == SplitRule::kFraction ? i >= border : i % options.val_every == options.val_offset;
    (validates ? parts.val : parts.train).push_back(texts[static_cast<std::size_t>(i)]);
  }
  return parts;
}

SplitTexts split(const TextCorpus& corpus, const TextCorpus& validation, const DatasetOptions& options) {
  if (options.split == SplitRule::kFile) return {corpus.texts, validation.texts};
  if (options.split == SplitRule::kNone || options.split == SplitRule::kScore) return {corpus.texts, {}};
  if (options.documents == Documents::kStream) return split_stream(corpus.texts, options.val_fraction);
  return split_documents(corpus.texts, options);
}

void check_two_characters(const Texts& texts, const std::string& path) {
  const Utf8Step first = read_utf8(texts.front(), 0);
  for (const std::string_view text : texts) {
    for (std::size_t i = 0; i < text.size();) {
      const Utf8Step step = read_utf8(text, i);
      if (step.code_point != first.code_point) return;
      i += step.length;
    }
  }
  throw DataError(fmt::format("[data] text must have at least two different characters; {} holds nothing but {}.", path,
                              describe_character(first.code_point)));
}

std::shared_ptr<const Tokenizer> learn_words(const Texts& training, const DatasetOptions& options) {
  WordTraining learn;
  learn.vocab_size = options.bpe.vocab_size;
  learn.min_frequency = options.bpe.min_frequency;
  learn.pattern = options.bpe.pattern.value_or(SplitPattern::kGpt2);
  if (options.documents != Documents::kStream) learn.special = {std::string(kBoundaryPiece)};
  const bool whole = options.tokenizer == TokenizerChoice::kWord;
  return std::make_shared<WordTokenizer>(whole ? train_words(training, learn) : train_word_pieces(training, learn));
}

/// @return a tokenizer that is loaded, or learned from what the model will learn from.
std::shared_ptr<const Tokenizer> open_chosen(const Texts& training, const DatasetOptions& options) {
  const BpeChoice& choice = options.bpe;
  if (!choice.path.empty()) return load_chosen(options);
  if (options.tokenizer == TokenizerChoice::kSentencePiece) {
    throw ConfigError("[data] a SentencePiece tokenizer comes from a file; tokenizer.path names none.");
  }
  if (options.tokenizer != TokenizerChoice::kBpe) return learn_words(training, options);
  BpeTraining learn;
  learn.vocab_size = choice.vocab_size;
  learn.min_frequency = choice.min_frequency;
  learn.pattern = choice.pattern.value_or(SplitPattern::kGpt2);
  if (options.documents != Documents::kStream) learn.special = {std::string(kBoundaryPiece)};
  return std::make_shared<BpeTokenizer>(train_bpe(training, learn));
}

std::shared_ptr<const Tokenizer> with_boundary(std::shared_ptr<const Tokenizer> tokenizer,
                                               const DatasetOptions& options, std::string_view hint) {
  if (options.documents != Documents::kStream && !tokenizer->boundary_id()) {
    throw DataError(
        fmt::format("[data] documents need a tokenizer with a boundary token; the {} tokenizer has none. Hint: {}.",
                    tokenizer->name(), hint));
  }
  return tokenizer;
}

std::shared_ptr<const Tokenizer> choose_tokenizer(const TextCorpus& corpus, const TextCorpus& validation,
                                                  const Texts& training, const DatasetOptions& options) {
  const bool documents = options.documents != Documents::kStream;
  if (options.stored) {
    return with_boundary(options.stored, options, "it was made for data.documents = \"stream\"");
  }
  if (!options.model_tokenizer_unused.empty() && options.bpe.path.empty()) {
    throw ConfigError(fmt::format(
        "[data] a text needs the tokenizer of the model; {} is text, and the tokenizer of {} is not used: {}. Hint: {}",
        options.path, options.model_without_tokenizer, options.model_tokenizer_unused, kWhereTokenizersCome));
  }
  if (has_files(options.tokenizer)) {
    return with_boundary(open_chosen(training, options), options, "data.documents = \"stream\" needs none");
  }
  if (options.tokenizer == TokenizerChoice::kByte) return std::make_shared<ByteTokenizer>(documents);
  if (options.tokenizer == TokenizerChoice::kNone && !options.model_without_tokenizer.empty()) {
    throw ConfigError(
        fmt::format("[data] a text needs the tokenizer of the model; {} is text, and {} has none. Hint: {}",
                    options.path, options.model_without_tokenizer, kWhereTokenizersCome));
  }
  if (options.tokenizer == TokenizerChoice::kNone) {
    throw ConfigError(
        fmt::format("[data] text needs a tokenizer; got tokenizer.type = \"none\" for {}. Hint: use \"char\", "
                    "\"byte\", \"bpe\" or \"word\".",
                    options.path));
  }
  CharTokenizer::Builder builder;
  for (const std::string_view text : corpus.texts) builder.add(text);
  for (const std::string_view text : validation.texts) builder.add(text);
  return builder.build(documents);
}

/// Encodes texts one after the other into a store.
class Encoder {
 public:
  Encoder(const Tokenizer& tokenizer, const DatasetOptions& options, std::string_view split)
      : tokenizer_(tokenizer),
        options_(options),
        split_(split),
        most_(tokenizer.name() == "char" || tokenizer.name() == "byte" ? kEncodePart : kBpePart),
        builder_(tokenizer.vocab_size()) {}

  SplitTokens encode(const Texts& texts) {
    SplitTokens result;
    const bool stream = options_.documents == Documents::kStream;
    // A line's end is one of its bytes: its boundary is the target that spells it.
    const std::int64_t extra = options_.documents == Documents::kLines ? 1 : 0;
    if (!stream && !texts.empty()) builder_.append(*tokenizer_.boundary_id());
    for (const std::string_view text : texts) {
      const std::int64_t before = builder_.size();
      add(text);
      const UnknownText unknown = tokenizer_.unknown_in(text);
      result.unknown += unknown;
      result.bytes += static_cast<std::int64_t>(text.size()) - unknown.bytes + extra;
      ++number_;
      if (stream) continue;
      builder_.append(*tokenizer_.boundary_id());
      result.documents.push_back(builder_.size() - before);
    }
    result.tokens = builder_.finish();
    return result;
  }

 private:
  void add(std::string_view text) {
    for (std::string_view rest = text; !rest.empty();) {
      std::size_t part = rest.size();
      if (part > most_) part = tokenizer_.cut_before(rest, most_);
      if (part == 0) part = rest.size();
      ids_.clear();
      try {
        tokenizer_.encode_into(rest.substr(0, part), ids_, options_.unknown);
      } catch (const DataError&) {
        explain(text);
        throw;
      }
      builder_.append(ids_);
      rest.remove_prefix(part);
    }
  }

  /// Encodes the whole text again for the sake of the position in the message.
  void explain(std::string_view text) const {
    std::vector<std::int32_t> ids;
    try {
      tokenizer_.encode_into(text, ids, options_.unknown);
    } catch (const DataError& error) {
      throw DataError(fmt::format("{} (In the {} data, {} {}.)", error.what(), split_,
                                  options_.documents == Documents::kLines ? "document" : "file", number_));
    }
  }

  const Tokenizer& tokenizer_;
  const DatasetOptions& options_;
  std::string_view split_;
  std::size_t most_;  // bytes encoded at once
  TokenStoreBuilder builder_;
  std::vector<std::int32_t> ids_;
  std::int64_t number_ = 0;
};

void add_notes(const TextCorpus& corpus, const std::string& path, bool bytes, std::vector<std::string>& notes) {
  if (corpus.crlf_files > 0) {
    notes.push_back(fmt::format("{}: CR LF line ends were read as LF in {} file(s)", path, grouped(corpus.crlf_files)));
  }
  if (bytes) return;
  std::size_t invalid = 0;
  for (const std::string_view text : corpus.texts) invalid += count_invalid_utf8(text);
  if (invalid == 0) return;
  notes.push_back(
      fmt::format("{}: {} place(s) are not valid UTF-8 and were read as U+FFFD; the byte tokenizer would keep "
                  "them",
                  path, grouped(static_cast<std::int64_t>(invalid))));
}

/// What was left out of a score must be said, or the score flatters.
void note_unknown(const UnknownText& unknown, const Tokenizer& tokenizer, std::string_view split,
                  std::vector<std::string>& notes) {
  if (unknown.characters == 0) return;
  notes.push_back(fmt::format("{} data: {}; bits per byte does not count their {} bytes", split,
                              describe_unknown(unknown, tokenizer), grouped(unknown.bytes)));
}

}  // namespace

std::shared_ptr<const Tokenizer> load_chosen(const DatasetOptions& options) {
  auto tokenizer = load_tokenizer(options.bpe.path, options.bpe.pattern);
  std::string_view wanted = "bpe";
  if (options.tokenizer == TokenizerChoice::kWord) wanted = "word";
  if (options.tokenizer == TokenizerChoice::kWordPiece) wanted = "wordpiece";
  if (options.tokenizer == TokenizerChoice::kSentencePiece) wanted = "sentencepiece";
  if (tokenizer->name() == wanted) return tokenizer;
  throw DataError(
      fmt::format("[data] tokenizer.path must hold a tokenizer of tokenizer.type = \"{}\"; {} holds one of "
                  "type \"{}\".",
                  wanted, options.bpe.path, tokenizer->name()));
}

OpenedData open_text_data(const DatasetOptions& options) {
  const TextCorpus corpus = load(options.path, options);
  const TextCorpus validation = options.split == SplitRule::kFile ? load(options.val_path, options) : TextCorpus{};
  OpenedData data;
  data.fingerprint = corpus.fingerprint;
  data.fingerprint.files.insert(data.fingerprint.files.end(), validation.fingerprint.files.begin(),
                                validation.fingerprint.files.end());
  if (options.files_read) options.files_read(data.fingerprint);
  require_text(corpus, options.path);
  if (options.split == SplitRule::kFile) require_text(validation, options.val_path);
  const bool scores = options.split == SplitRule::kScore;
  if (!scores) check_two_characters(corpus.texts, options.path);
  const SplitTexts texts = split(corpus, validation, options);
  data.tokenizer = choose_tokenizer(corpus, validation, texts.train, options);
  data.vocab_size = data.tokenizer->vocab_size();
  data.train = Encoder(*data.tokenizer, options, scores ? "given" : "training").encode(texts.train);
  data.val = scores ? data.train : Encoder(*data.tokenizer, options, "validation").encode(texts.val);
  for (const TextCorpus* read : {&corpus, &validation}) read->check_unchanged();
  if (!scores) note_unknown(data.train.unknown, *data.tokenizer, "training", data.notes);
  note_unknown(data.val.unknown, *data.tokenizer, scores ? "given" : "validation", data.notes);
  const bool bytes = data.tokenizer->name() != "char";
  add_notes(corpus, options.path, bytes, data.notes);
  if (options.split == SplitRule::kFile) add_notes(validation, options.val_path, bytes, data.notes);
  return data;
}

}  // namespace minnow
