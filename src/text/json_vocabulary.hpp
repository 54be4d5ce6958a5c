#pragma once
/// @file
/// Reads the vocabulary and the added tokens of a tokenizer.json.

#include <vector>

#include "minnow/text/bpe_model.hpp"
#include "text/json_source.hpp"
#include "text/vocabulary_builder.hpp"

namespace minnow {

/// @return how many names a checked tokenizer.json has at most.
[[nodiscard]] std::size_t names_in(const JsonSource::Json& root);

/// Fills `vocabulary` with the names of a checked tokenizer.json.
/// @return the added tokens by id. Throws: DataError.
[[nodiscard]] std::vector<AddedToken> read_vocabulary(const JsonSource& source, const JsonSource::Json& root,
                                                      VocabularyBuilder& vocabulary);

}  // namespace minnow
