#pragma once
/// @file
/// Chooses what a token of a text is to be.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "minnow/config/config.hpp"
#include "minnow/data/check.hpp"
#include "minnow/text/tokenizer.hpp"

namespace minnow {

/// What is known of the text, and what is asked for.
struct TokenizerQuestion {
  const CheckReport& text;
  std::vector<std::filesystem::path> files;
  std::string text_field;
  std::string wanted = "auto";                       ///< or "char", "byte", "bpe", or where a tokenizer lies
  std::int64_t vocab_size = 0;                       ///< of byte pairs that are learned; 0: what fits the text
  double minutes = 10;                               ///< of training: a short one cannot teach many tokens
  bool documents = false;                            ///< the text is documents, so there must be a boundary
  bool words_alone = false;                          ///< the documents are short words by themselves
  std::function<void(const std::string&)> report{};  ///< hears what is being done
};

/// What was chosen.
struct TokenizerProposal {
  TokenizerConfig config;
  std::shared_ptr<const Tokenizer> tokenizer{};  ///< byte pairs, learned or loaded; null: characters or bytes
  std::int64_t vocab_size = 0;
  double tokens = 0;           ///< of the whole text
  bool by_characters = false;  ///< the check's entropies are those of these tokens
  std::string reason;          ///< a sentence
};

/// @return tokens of a vocabulary of byte pairs: the largest power of two from 512 to 16,384 of which each token is
/// seen often enough in a text of so many bytes, and that leaves most of the model that can be trained in so many
/// minutes to its blocks: on two cores its parameters grow about as the root of the time, 800,000 in 10 minutes.
[[nodiscard]] std::int64_t fitting_vocabulary(std::int64_t text_bytes, double minutes);

/// - words alone: characters, as spelling is what there is to learn;
/// - byte pairs for texts of 50,000 bytes and more. Measured with models and steps as `new` chooses them, in bits per
///   byte of the validation: 30,000 bytes of Shakespeare 3.34 by characters and 2.94 by 512 byte pairs, 100,000 bytes
///   2.65 and 2.56; 20,804 bytes of many languages 4.54 by bytes and 4.71 by pairs;
/// - else characters, where there are at most 256 and every byte is well-formed; else bytes.
/// Byte pairs are learned from at most 32 MiB, spread over the text, to count tokens with.
/// Throws: IoError, DataError and ConfigError for a tokenizer that cannot be read or is of another kind.
[[nodiscard]] TokenizerProposal propose_tokenizer(const TokenizerQuestion& question);

}  // namespace minnow
