#pragma once
/// @file
/// Reads what a tokenizer.json adds to texts.

#include <cstdint>
#include <string_view>
#include <vector>

namespace minnow {

/// Ids that stand before and behind each text.
struct TextFrame {
  std::vector<std::int32_t> before, behind;
};

/// @param post_processor  as JSON: of the types TemplateProcessing, BertProcessing or RobertaProcessing; others add
/// nothing
/// @param tokens  of the vocabulary
/// Throws: DataError for ids outside of the vocabulary.
[[nodiscard]] TextFrame frame_of(std::string_view post_processor, std::size_t tokens);

}  // namespace minnow
