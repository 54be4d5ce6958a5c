#pragma once
/// @file
/// Opens the data of a run: finds and reads the files, takes or builds the tokenizer, encodes, splits, checks, and
/// hands out training batches and evaluation windows.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "minnow/data/corpus.hpp"
#include "minnow/data/fingerprint.hpp"
#include "minnow/data/loader.hpp"
#include "minnow/data/story_corpus.hpp"
#include "minnow/data/windows.hpp"
#include "minnow/text/split_pattern.hpp"
#include "minnow/text/tokenizer.hpp"

namespace minnow {

/// What the files hold. A folder of token files (.bin) is one stream, in the order of the names.
enum class FileFormat {
  kAuto,     ///< by name: `.bin` is a token file, the rest is text; a folder is text when it holds .txt files
  kText,     ///< text
  kNanogpt,  ///< raw token ids (token_file.hpp)
  kLlmc,     ///< token ids with llm.c's header
};

/// How training and validation data are told apart.
enum class SplitRule {
  kFraction,  ///< the first floor(n (1 - val_fraction)) characters, documents or tokens train, the rest validates
  kEveryNth,  ///< documents whose index % every == offset validate
  kFile,      ///< val_path validates
  kNone,      ///< everything trains
  kScore,     ///< everything is scored: a text that is given to a model that is not trained on it
};

/// Which tokenizer to build when none is passed. Documents that are lines or files give it a boundary token. Token
/// files take kNone or, when their ids are byte values, kByte.
enum class TokenizerChoice { kChar, kByte, kBpe, kWord, kWordPiece, kSentencePiece, kNone };

/// What to load, or to learn from the training text: of byte pairs, words and pieces of words.
struct BpeChoice {
  std::string path{};                     ///< as load_tokenizer takes it; empty: learn
  std::optional<SplitPattern> pattern{};  ///< nothing: what the file says, or GPT-2's
  std::int64_t vocab_size = 4096;         ///< to learn: tokens at most
  std::int64_t min_frequency = 2;         ///< to learn: rarer pairs do not merge, rarer words are no tokens
};

/// Everything that determines the data of a run. (Each member has an initializer, so that a few can be named and the
/// rest left.)
struct DatasetOptions {
  std::string path{};      ///< file, folder (of texts, of token files, or packed), "builtin" or "builtin:dialogues"
  std::string val_path{};  ///< the same for validation; only with SplitRule::kFile
  FileFormat format = FileFormat::kAuto;
  Documents documents = Documents::kStream;
  Packing packing = Packing::kPad;
  std::string text_field = "text";   ///< the member of a .jsonl line that holds the text
  bool mask_documents = false;       ///< batches tell the documents of a window apart: Batch::pieces
  std::int64_t document_token = -1;  ///< with mask_documents: id that begins a document; -1: the tokenizer's boundary
  SplitRule split = SplitRule::kFraction;
  double val_fraction = 0.1;    ///< 0 < f < 1
  std::int64_t val_every = 10;  ///< n
  std::int64_t val_offset = 0;  ///< 0 .. n - 1
  LoaderOptions loader{};

  TokenizerChoice tokenizer = TokenizerChoice::kChar;
  BpeChoice bpe{};
  std::shared_ptr<const Tokenizer> stored{};  ///< when set it is used as it is: resume, fine-tuning, evaluation
  UnknownCharacter unknown = UnknownCharacter::kError;  ///< characters that a stored tokenizer does not have
  std::int64_t vocab_size = 0;  ///< token files without a tokenizer: V; 0 = GPT-2's 50257, as nanoGPT assumes

  /// A model that reads ids and brought no tokenizer: whose vocabulary vocab_size is, for messages.
  std::string model_without_tokenizer{};
  std::string model_tokenizer_unused{};  ///< why the tokenizer that lies there is not used; empty: none does

  /// Hears what the files are as soon as they are read, before anything in them is judged or encoded. It may throw:
  /// data that changed are best called so, not by what the change broke.
  std::function<void(const DataFingerprint&)> files_read{};

  std::size_t builtin_bytes = kStoryCorpusBytes;  ///< size of the built-in corpus
  std::uint64_t builtin_seed = kStoryCorpusSeed;  ///< it is the same for every run unless this is changed
};

/// What there is of one split.
struct SplitFacts {
  std::int64_t documents = 0;  ///< 1 for a stream
  std::int64_t tokens = 0;     ///< ids in the split, boundaries included
  std::int64_t windows = 0;
  std::int64_t targets = 0;  ///< counted targets of all windows
  /// Bytes of text that the targets spell, for bits per byte = total loss in nats / ln 2 / bytes. A stream: all its
  /// bytes. Lines: one byte more a document for its line end. Bytes that the vocabulary cannot say do not count,
  /// since nobody predicts them. 0 when unknown: token files without a tokenizer.
  std::int64_t bytes = 0;
  UnknownText unknown;  ///< what was replaced or left out. Packed data: its characters in the whole data set
};

/// The data of a run, ready to use. Immutable; copies share everything.
class Dataset {
 public:
  /// Throws: ConfigError (2) for options that contradict each other; IoError (5) for files that cannot be read;
  /// DataError (3) for data that cannot be trained on: missing, empty, blank, of a single character, shorter than T + 1
  /// tokens, an empty split, ids outside the vocabulary, damaged token files.
  [[nodiscard]] static Dataset open(const DatasetOptions& options);

  [[nodiscard]] const TrainLoader& train() const noexcept { return *train_; }
  /// @return the evaluation windows; none (windows() == 0) with SplitRule::kNone.
  [[nodiscard]] const EvalLoader& val() const noexcept { return *val_; }
  /// @return the tokenizer; null for token files without one.
  [[nodiscard]] const std::shared_ptr<const Tokenizer>& tokenizer() const noexcept { return tokenizer_; }
  /// @return the tokenizer's boundary, when documents to train on begin with it (of a stream of token files: when it
  /// stands somewhere in the first millions of tokens).
  [[nodiscard]] std::optional<std::int32_t> document_start() const;
  /// @return V.
  [[nodiscard]] std::int64_t vocab_size() const noexcept { return vocab_size_; }
  [[nodiscard]] const SplitFacts& train_facts() const noexcept { return train_facts_; }
  [[nodiscard]] const SplitFacts& val_facts() const noexcept { return val_facts_; }
  [[nodiscard]] const DataFingerprint& fingerprint() const noexcept { return fingerprint_; }
  /// @return what a person should know that is no error: ill-formed UTF-8 that was replaced, CR LF read as LF, ...
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

  /// @return bytes of memory that hold tokens; those of token files and packed data stay in their files.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept {
    return train_->tokens().memory_bytes() + val_->tokens().memory_bytes();
  }

  /// @return lines for the log: source, documents, tokens, vocabulary, windows, passes over the data in `steps` steps.
  [[nodiscard]] std::vector<std::string> describe(std::int64_t steps) const;

 private:
  Dataset() = default;
  friend class DatasetOpener;

  std::shared_ptr<const TrainLoader> train_;
  std::shared_ptr<const EvalLoader> val_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::int64_t vocab_size_ = 0;
  SplitFacts train_facts_, val_facts_;
  DataFingerprint fingerprint_;
  std::vector<std::string> notes_;
  std::string source_;
  bool stream_ = true;
};

}  // namespace minnow
