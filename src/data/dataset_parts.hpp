#pragma once
/// @file
/// The steps of opening a data set: from files to the token rows of both splits.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "minnow/data/dataset.hpp"

namespace minnow {

/// One split as tokens.
struct SplitTokens {
  TokenStore tokens;  ///< documents: boundary, document, boundary, ..., document, boundary
  std::vector<std::int64_t>
      documents;           ///< inputs of each document (its tokens and the boundary before it); empty: stream
  std::int64_t bytes = 0;  ///< as SplitFacts::bytes
  UnknownText unknown{};   ///< as SplitFacts::unknown
};

/// Everything that reading gives, before loaders are made.
struct OpenedData {
  SplitTokens train, val;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::int64_t vocab_size = 0;
  DataFingerprint fingerprint;
  std::vector<std::string> notes;
};

/// @return the tokenizer that options.bpe.path names. Throws: as load_tokenizer; DataError when it is another kind than
/// options.tokenizer.
[[nodiscard]] std::shared_ptr<const Tokenizer> load_chosen(const DatasetOptions& options);

/// @return whether the tokenizer of options comes from files, or is learned by counting.
[[nodiscard]] constexpr bool has_files(TokenizerChoice choice) {
  return choice != TokenizerChoice::kChar && choice != TokenizerChoice::kByte && choice != TokenizerChoice::kNone;
}

/// Reads, splits and encodes text. Throws: as Dataset::open.
[[nodiscard]] OpenedData open_text_data(const DatasetOptions& options);

/// Maps and splits token files. Throws: as Dataset::open.
[[nodiscard]] OpenedData open_token_data(const DatasetOptions& options);

/// Maps and splits a packed data set. Throws: as Dataset::open.
[[nodiscard]] OpenedData open_packed_data(const DatasetOptions& options);

/// The hint for whoever has a model without tokenizer and a text.
extern const char* const kWhereTokenizersCome;

/// @return floor(count * (1 - fraction)): what of `count` trains. As nanoGPT's int(n * 0.9).
[[nodiscard]] std::int64_t training_part(std::int64_t count, double fraction);

}  // namespace minnow
