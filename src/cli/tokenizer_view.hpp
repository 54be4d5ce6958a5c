#pragma once
/// @file
/// Looks at tokenizers: what they are, what they make of a text.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/text/tokenizer.hpp"

namespace minnow::cli {

/// @return what a token of it is: "byte pairs", "char-level", ...
[[nodiscard]] std::string described(const Tokenizer& tokenizer);

/// @return what is known without a text: kind, size, special tokens, ...
[[nodiscard]] nlohmann::ordered_json tokenizer_facts(const Tokenizer& tokenizer);

/// What a tokenizer makes of a text.
struct TextUse {
  std::int64_t bytes = 0, characters = 0, tokens = 0;
  std::int64_t used = 0;    ///< different tokens
  std::int64_t unused = 0;  ///< tokens that text can have and this one has not
  std::vector<std::int32_t> unused_ids{};
  double seconds = 0;  ///< to encode it, at best

  [[nodiscard]] double bytes_per_token() const;
};

/// Encodes the texts, each by itself; characters that the vocabulary lacks are replaced or left out.
/// @param timed  encodes them again for half a second, and takes the fastest time.
[[nodiscard]] TextUse use_of(const Tokenizer& tokenizer, std::span<const std::string_view> texts, bool timed = false);

/// @return the pieces of the ids one after the other: in alternating colours, or each in [] when there is no colour.
[[nodiscard]] std::string shown_pieces(const Tokenizer& tokenizer, std::span<const std::int32_t> ids, bool color);

}  // namespace minnow::cli
