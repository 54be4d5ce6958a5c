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

/// @return tokens of a vocabulary of byte pairs: the largest power of two from 512 to 16,384 for which there are 90
/// bytes of text a token, and that leaves most of the model that can be trained in so many minutes to its blocks.
/// Measured at equal arithmetic (L2 C64, about a CPU minute), in bits per byte: 100 kB of Shakespeare 2.62 by
/// characters, 2.49 with 512 tokens, 2.39 with 1024; 300 kB 2.45, 2.36, 2.29, and 2.24 with 2048; 2 MB of
/// stories 1.87, 1.64, 1.57, 1.50, and 1.50 with 4096; 290 kB of Chinese 1.82 by bytes, 1.26 with 512 and 1.02 with
/// 1024.
[[nodiscard]] std::int64_t fitting_vocabulary(std::int64_t text_bytes, double minutes);

/// - words alone: characters, as spelling is what there is to learn;
/// - byte pairs for texts of 50,000 bytes and more. In shorter ones they win by little or lose: at 33 kB of
/// Chinese 3.95
///   bits per byte to 3.97 of bytes, at 21 kB of many languages 4.71 to 4.54;
/// - else characters, where there are at most 256 and every byte is well-formed; else bytes.
/// Byte pairs are learned from at most 32 MiB, spread over the text, to count tokens with.
/// Throws: IoError, DataError and ConfigError for a tokenizer that cannot be read or is of another kind.
[[nodiscard]] TokenizerProposal propose_tokenizer(const TokenizerQuestion& question);

}  // namespace minnow
