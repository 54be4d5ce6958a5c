#pragma once
/// @file
/// Cleans texts as BERT does, and cuts them into words.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/text/word_model.hpp"

namespace minnow {

/// @return the text after TextCleaning; ill-formed UTF-8 counts as U+FFFD.
[[nodiscard]] std::string clean_text(std::string_view text, const TextCleaning& cleaning);

/// Calls `word` with each word of a text of valid UTF-8, in order; none is empty.
void split_words(std::string_view text, WordSplit split, SplitPattern pattern,
                 const std::function<void(std::string_view)>& word);

/// @return whether BERT cuts around a character: every symbol of ASCII that is no letter or digit, and what Unicode 8
/// calls punctuation.
[[nodiscard]] bool is_bert_punctuation(char32_t code_point) noexcept;

/// Whether all ways to cut a text cut at `position` (0 < position < text.size()), so that the two parts have the words
/// of the whole: at a blank or line feed behind a letter or digit of ASCII, where no mark can combine across.
[[nodiscard]] bool cuts_words(std::string_view text, std::size_t position) noexcept;

/// @return the post-processor that puts [CLS] before a text and [SEP] behind it, as JSON; "null" without these tokens.
[[nodiscard]] std::string bert_frame(const std::vector<std::string>& pieces);

}  // namespace minnow
