#pragma once
/// @file
/// Texts that a command line names, held in memory.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/data/corpus.hpp"

namespace minnow::cli {

/// Documents of files, folders and standard input, as read_text_corpus() gives them: each file, each text of a .jsonl
/// file.
struct GivenTexts {
  std::vector<std::string_view> texts;
  std::int64_t bytes = 0;
  std::vector<TextCorpus> corpora;  ///< keeps what `texts` looks into

  /// Throws: IoError when a file was cut or written to while it was read.
  void check_unchanged() const;
};

/// @param paths  "-" is standard input, once. @param field  the member of a .jsonl line that holds the text
/// @param input_is_jsonl  standard input holds JSON Lines
/// Throws: as read_text_corpus(); ConfigError when standard input is named twice.
[[nodiscard]] GivenTexts read_given_texts(const std::vector<std::string>& paths, const std::string& field,
                                          bool input_is_jsonl);

}  // namespace minnow::cli
