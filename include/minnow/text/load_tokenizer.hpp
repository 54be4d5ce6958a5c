#pragma once
/// @file
/// Loads a tokenizer from whatever files it comes in.

#include <filesystem>
#include <memory>
#include <optional>

#include "minnow/text/split_pattern.hpp"
#include "minnow/text/tokenizer.hpp"

namespace minnow {

/// Loads
///   - a tokenizer.json (any name that ends in .json but those below),
///   - vocab.json or encoder.json with merges.txt or vocab.bpe beside it; either of the two names,
///   - a .tiktoken file; cl100k_base, r50k_base, p50k_base and gpt2 are known by their names with their special
///     tokens, others need `pattern`,
///   - BERT's vocab.txt (any name that ends in .txt but merges.txt); a tokenizer_config.json beside it says whether
///     texts are lowercased (do_lower_case), else whether the vocabulary has capital letters does,
///   - a SentencePiece .model file (LLaMA's tokenizer.model), where minnow was built with its library,
///   - a folder that holds one of these; tokenizer.json comes first.
/// @param pattern  how texts are split, where the file does not say it (.tiktoken).
/// Throws: IoError when a file cannot be read; DataError when it holds no tokenizer that minnow has; ConfigError when
/// `pattern` is needed and not given, or given and not the one that the file has.
[[nodiscard]] std::shared_ptr<const Tokenizer> load_tokenizer(const std::filesystem::path& path,
                                                              std::optional<SplitPattern> pattern = std::nullopt);

}  // namespace minnow
