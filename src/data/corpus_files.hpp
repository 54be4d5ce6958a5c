#pragma once
/// @file
/// Reads text without judging it, for those who look at the fingerprint first.

#include <filesystem>
#include <string_view>

#include "minnow/data/corpus.hpp"

namespace minnow {

/// As read_text_corpus(), but text without content is no error.
[[nodiscard]] TextCorpus read_text_files(const std::filesystem::path& path, Documents documents);

/// Throws: DataError when the text of `name` is empty or all white space.
void require_text(const TextCorpus& corpus, std::string_view name);

}  // namespace minnow
