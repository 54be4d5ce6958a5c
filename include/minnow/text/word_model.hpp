#pragma once
/// @file
/// What a tokenizer of whole words or of pieces of words consists of, and the files that it comes in.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/text/bpe_model.hpp"
#include "minnow/text/split_pattern.hpp"

namespace minnow {

/// What BERT does to a text before it is cut. Source: BertNormalizer of the library `tokenizers`.
struct TextCleaning {
  bool clean_text = true;            ///< removes control characters and U+FFFD; white space becomes blanks
  bool handle_chinese_chars = true;  ///< puts blanks around CJK ideographs
  bool strip_accents = true;         ///< decomposes characters (NFD) and removes the marks
  bool lowercase = true;

  bool operator==(const TextCleaning&) const = default;
};

/// How a text is cut into words.
enum class WordSplit {
  kBert,        ///< at white space, which is dropped, and around each character of punctuation (BertPreTokenizer)
  kWhitespace,  ///< words of \w and runs of what is neither that nor white space, which is dropped (Whitespace)
  kBlanks,      ///< at white space, which is dropped (WhitespaceSplit)
  kPattern,     ///< by a split pattern, which drops nothing: a word has the blank before it
};

/// How words become a text again.
enum class WordJoin {
  kPieces,  ///< a blank before each token but the first and those that go on a word (WordPiece's decoder)
  kBlanks,  ///< a blank between all tokens (no decoder)
  kFuse,    ///< nothing between: tokens are the text (Fuse)
};

/// The greatest word that the greedy search of WordPiece takes, in characters, unless a file says another.
inline constexpr std::int64_t kLongestWord = 100;

/// A vocabulary of words, or of words and their pieces.
struct WordModel {
  std::vector<std::string> pieces{};  ///< by id; empty: a gap
  bool word_pieces = true;            ///< words that are no tokens are cut into pieces (WordPiece); false: WordLevel
  std::string unknown = "[UNK]";      ///< token of words that cannot be spelled
  std::string prefix = "##";          ///< of pieces that go on a word; WordPiece only
  std::int64_t max_characters = kLongestWord;  ///< longer words are unknown; WordPiece only
  std::optional<TextCleaning> cleaning{};      ///< none: a text is cut as it is
  WordSplit split = WordSplit::kBert;
  SplitPattern pattern = SplitPattern::kGpt2;  ///< of WordSplit::kPattern
  WordJoin join = WordJoin::kPieces;
  bool tidy = true;                 ///< WordJoin::kPieces takes the blank before . , ? ! and the like away (cleanup)
  std::vector<AddedToken> added{};  ///< by id
  std::string post_processor = "null";  ///< of tokenizer.json, as it was

  /// @return whether decoding gives back every text whose words are all known.
  [[nodiscard]] bool keeps_text() const { return !cleaning && split == WordSplit::kPattern && join == WordJoin::kFuse; }
};

/// Reads BERT's vocab.txt: a token a line, numbered from 0. [PAD] [UNK] [CLS] [SEP] [MASK] become special tokens, and
/// [CLS] and [SEP], when both are there, the frame of a text.
/// @param lowercase  whether a text is lowercased and loses its accents; not given: unless a token has a capital letter
/// of ASCII.
/// @param source  the file's name, for error messages.
/// Throws: DataError when a line is empty, not UTF-8 or there twice, or [UNK] is missing.
[[nodiscard]] WordModel read_vocab_txt(std::string_view text, std::optional<bool> lowercase = std::nullopt,
                                       std::string_view source = "vocab.txt");

/// @return the vocab.txt. Throws: DataError for what the file cannot hold: gaps, tokens with line ends.
[[nodiscard]] std::string write_vocab_txt(const WordModel& model);

}  // namespace minnow
