#pragma once
/// @file
/// Reads text without judging it, for those who look at the fingerprint first.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/data/corpus.hpp"

namespace minnow {

/// As read_text_corpus(), but text without content is no error.
[[nodiscard]] TextCorpus read_text_files(const std::filesystem::path& path, Documents documents,
                                         const std::string& field);

/// @return the files of text in a folder, as described at read_text_corpus; none is no error.
[[nodiscard]] std::vector<std::filesystem::path> list_text_files(const std::filesystem::path& folder);

/// Throws: DataError when the text of `name` is empty or all white space.
void require_text(const TextCorpus& corpus, std::string_view name);

}  // namespace minnow
