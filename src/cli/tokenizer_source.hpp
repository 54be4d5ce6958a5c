#pragma once
/// @file
/// Finds the tokenizer that `--tokenizer` names.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "minnow/data/corpus.hpp"
#include "minnow/text/tokenizer.hpp"

namespace minnow::cli {

/// @param name  "byte"; "char" (the characters of `files`, which are read once for it); a tokenizer.json; or a folder
/// that holds one: a run, a packed data set, a folder of Hugging Face
/// @param boundary  a tokenizer that is built gets a boundary token
/// @param field  the text's member of .jsonl lines
/// Throws: ConfigError when nothing of this name is there, and for "char" on standard input; DataError for files that
/// are no tokenizer; IoError.
[[nodiscard]] std::shared_ptr<const Tokenizer> find_tokenizer(const std::string& name,
                                                              const std::vector<std::filesystem::path>& files,
                                                              const std::string& field, bool boundary);

}  // namespace minnow::cli
