#pragma once
/// @file
/// Learns vocabularies of words, and of pieces of words, from texts.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/text/word_model.hpp"

namespace minnow {

/// What to learn.
struct WordTraining {
  std::int64_t vocab_size = 4096;  ///< tokens at most, special ones among them
  std::int64_t min_frequency = 2;  ///< rarer words are no tokens (of pieces of words: rarer pairs do not merge)
  SplitPattern pattern = SplitPattern::kGpt2;  ///< how texts are cut into words
  bool lowercase = true;                       ///< pieces of words: texts are lowercased and lose their accents
  /// Follow [UNK] (pieces of words: [PAD] [UNK] [CLS] [SEP] [MASK]) in this order; where they stand a text is cut.
  std::vector<std::string> special{};
  /// Hears how far it is, as a share of 0 .. 1 of each of two stages: 0 = counting words, 1 = merging.
  std::function<void(int stage, double share)> progress{};
};

/// Counts the words of all texts. A word is what the pattern cuts: letters, digits or punctuation with the blank before
/// them, or white space; so decoding keeps the text, but for unknown words.
/// @return [UNK] (id 0), the special tokens, then words by falling count; among equal counts the lesser byte string
/// first. Throws: ConfigError when vocab_size has no room for the special tokens and a word, or these repeat; DataError
/// when the texts are empty or all white space.
[[nodiscard]] WordModel train_words(std::span<const std::string_view> texts, const WordTraining& training);

/// Cleans and cuts texts as BERT does, then merges the most frequent pair of pieces again and again as a byte-pair
/// encoding does, beginning with characters ("##" before those that go on a word). Among equal counts the pair of the
/// older tokens merges, by the left one first: the rule of WordPieceTrainer in `tokenizers`, which however numbers the
/// characters behind "##" in an order that is another each time, so that of equal counts it may take other pairs.
/// @return [PAD] [UNK] [CLS] [SEP] [MASK], the special tokens, the characters (the most frequent
/// ones, if there is no room for all) in the order of their names, then a token for each merge. Throws: as train_words.
[[nodiscard]] WordModel train_word_pieces(std::span<const std::string_view> texts, const WordTraining& training);

}  // namespace minnow
