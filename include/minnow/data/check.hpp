#pragma once
/// @file
/// Looks for what is wrong with texts before a model learns it, and measures what a model of them must beat.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "minnow/data/corpus.hpp"
#include "minnow/text/tokenizer.hpp"

namespace minnow {

/// Length in bytes of the stretches that training and validation, or two documents, must not share.
inline constexpr std::size_t kLeakBytes = 64;
/// Lines of fewer bytes (blanks at their ends left out) may repeat: refrains, names of speakers, rules of dashes.
inline constexpr std::size_t kLongLineBytes = 40;

/// What is looked at.
struct CheckOptions {
  std::vector<std::filesystem::path> files;       ///< as find_text_files gives them
  std::vector<std::filesystem::path> validation;  ///< the same; empty: nothing is said about leakage
  Documents documents = Documents::kFiles;        ///< what must not be there twice: lines, or files and .jsonl texts
  std::string text_field = "text";
  std::shared_ptr<const Tokenizer> tokenizer;  ///< null: the characters of the texts

  std::function<void(std::uint64_t bytes)> progress{};  ///< bytes of all files read so far
  std::function<bool()> interrupted{};                  ///< true ends the check early
};

/// One kind of thing that is wrong.
struct CheckFinding {
  /// "unreadable", "encoding", "null_characters", "empty", "duplicate_documents", "duplicate_lines",
  /// "shared_passages", "leakage", "unknown_characters".
  std::string kind;
  std::int64_t count = 0;           ///< how often
  std::string text;                 ///< a sentence
  std::vector<std::string> places;  ///< the first few, as `file: byte N` or `file:line`
};

/// What a text is, in numbers.
struct CheckReport {
  bool finished = true;
  std::int64_t files = 0, file_bytes = 0, text_bytes = 0, characters = 0, distinct_characters = 0, lines = 0,
               documents = 0;
  std::int64_t tokens = 0;
  std::int32_t vocab_size = 0;
  std::int64_t used_tokens = 0;  ///< entries of the vocabulary that occur
  /// Loss in nats per token of a model that knows nothing (ln V), the frequency of each token, and that of each pair.
  /// The empirical entropies of this very text: what a trained model must get below.
  double uniform_nats = 0, unigram_nats = 0, bigram_nats = 0;
  std::int64_t bigram_tokens = 0;  ///< tokens whose pairs were counted: all, or as many as the table of pairs had room
  std::vector<CheckFinding> findings;

  /// @return bytes of text per token.
  [[nodiscard]] double bytes_per_token() const {
    return tokens > 0 ? static_cast<double>(text_bytes) / static_cast<double>(tokens) : 0;
  }
};

/// Reads all texts once (without a tokenizer: twice). Memory is bounded whatever their size: tables that would grow too
/// large keep a part of what they hold, chosen by its hash, and counts of duplicates and leakage are then estimates.
/// Files that cannot be read to their end are a finding, not an error. Threads: in parallel; the report is the same for
/// any number. Throws: IoError when a file cannot be opened.
[[nodiscard]] CheckReport check_texts(const CheckOptions& options);

}  // namespace minnow
