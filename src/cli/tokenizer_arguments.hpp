#pragma once
/// @file
/// What the commands of `minnow tokenizer` are asked.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/prompt.hpp"
#include "minnow/text/load_tokenizer.hpp"

namespace minnow::cli {

struct TokenizerArguments {
  std::vector<std::string> paths;  // texts, or tokenizers
  std::string path, out, text, data;
  std::string pattern, unknown, type = "bpe", field = "text", stdin_is = "text";
  std::vector<std::string> ids, special;
  PromptSource source;
  std::int64_t vocab_size = 4096, min_frequency = 2, threads = 0;
  bool json = false, pieces = false, marked = false, parted = false, framed = false, cased = false, overwrite = false;
};

/// @return the tokenizer of a file or folder. Throws: as load_tokenizer.
/// @param pattern  empty: as the file says
[[nodiscard]] inline std::shared_ptr<const Tokenizer> tokenizer_at(const std::string& path,
                                                                   const std::string& pattern) {
  return load_tokenizer(path, pattern.empty() ? std::nullopt : split_named(pattern));
}

/// `tokenizer encode`: prints the ids of a text, or of several. @return the exit code.
int encode_text(const TokenizerArguments& arguments);

/// `tokenizer decode`: prints the text of ids. @return the exit code.
int decode_ids(const TokenizerArguments& arguments);

}  // namespace minnow::cli
