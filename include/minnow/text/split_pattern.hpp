#pragma once
/// @file
/// Cuts a text into the pieces within which byte-pair encodings merge. The patterns are known elsewhere as regular
/// expressions; here each is a scanner that never goes back, so its time grows with the length of the text alone.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace minnow {

/// The ways to cut. Everybody means the same by letters (\p{L}), numbers (\p{N}) and white space (White_Space).
enum class SplitPattern : std::uint8_t {
  kNone,    ///< not at all: a text is one piece
  kGpt2,    ///< GPT-2, also r50k and p50k, RoBERTa, ...: words with the blank before them
  kCl100k,  ///< GPT-4 as tiktoken 0.8 and later cut: numbers of at most three digits, white space at the end whole
  kLlama3,  ///< LLaMA 3, and GPT-4 in older files: as kCl100k but for white space with line ends at the end of a text
  kQwen2,   ///< Qwen 2: as kLlama3 with single digits
};

/// @return "none", "gpt2", "cl100k", "llama3" or "qwen2".
[[nodiscard]] std::string_view split_name(SplitPattern pattern) noexcept;

/// @return the pattern of that name.
[[nodiscard]] std::optional<SplitPattern> split_named(std::string_view name) noexcept;

/// @return the regular expression, in a form that the engine of the library `tokenizers` (Oniguruma) reads rightly;
/// nothing for kNone.
[[nodiscard]] std::string_view split_regex(SplitPattern pattern) noexcept;

/// @return the pattern that a regular expression in a known spelling stands for.
[[nodiscard]] std::optional<SplitPattern> split_of_regex(std::string_view regex) noexcept;

/// Every sequence of ill-formed bytes (as read_utf8 steps) counts as one character that is neither letter, number nor
/// white space, as U+FFFD is: the pieces are those of replace_invalid_utf8(text), with the bytes as they were.
/// @param begin  where a piece begins, < text.size(). @return where it ends, > begin.
[[nodiscard]] std::size_t piece_end(SplitPattern pattern, std::string_view text, std::size_t begin) noexcept;

/// Whether every pattern but kNone cuts at `position` (0 < position < text.size()) whatever stands before and behind,
/// so that the two parts can be cut alone: behind a letter or number, before a character of another class.
[[nodiscard]] bool always_cuts(std::string_view text, std::size_t position) noexcept;

}  // namespace minnow
