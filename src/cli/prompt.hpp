#pragma once
/// @file
/// Gets the prompt of a verb that continues text: from the command line, a file or stdin.

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "minnow/text/tokenizer.hpp"
#include "minnow/train/run.hpp"

namespace minnow::cli {

/// Where a prompt comes from. At most one source may be given; none means the empty prompt.
struct PromptSource {
  std::string text;  ///< --prompt
  std::string file;  ///< --prompt-file; "-" is stdin
  std::string dash;  ///< the argument "-": stdin
};

/// Declares `--prompt`, `--prompt-file` and the argument `-`.
void prompt_options(Options& options, PromptSource& source);

/// @return the prompt, every byte of it (a line feed at the end of a file counts).
/// Throws: ConfigError when several sources are given; IoError when one cannot be read; DataError beyond 64 MiB.
std::string read_prompt(const PromptSource& source);

/// @return the ids of a prompt: prompt_ids(), or for a model without tokenizer the ids that the prompt lists, parted by
/// spaces or commas (0 when it is empty).
/// Throws: DataError for unknown characters, words that are no ids, ids outside the vocabulary.
std::vector<std::int32_t> prompt_tokens(const LoadedRun& run, const std::string& prompt, UnknownCharacter unknown);

}  // namespace minnow::cli
