#include "minnow/text/tokenizer.hpp"

#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, UnknownCharacter unknown) const {
  std::vector<std::int32_t> ids;
  encode_into(text, ids, unknown);
  return ids;
}

UnknownText Tokenizer::unknown_in(std::string_view /*text*/) const { return {}; }

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  text.reserve(ids.size());
  bool begins = true;
  for (const std::int32_t id : ids) {
    const std::string_view bytes = bytes_of(id);
    text += begins ? first_bytes_of(id) : bytes;
    begins = begins && bytes.empty();
  }
  return text;
}

std::string Tokenizer::decode_text(std::span<const std::int32_t> ids) const {
  return replace_invalid_utf8(decode(ids));
}

std::string describe_unknown(const UnknownText& unknown, const Tokenizer& tokenizer) {
  const bool one = unknown.characters == 1;
  std::string became = one ? "was left out" : "were left out";
  if (const auto fallback = tokenizer.fallback_id()) {
    const std::string piece = tokenizer.piece_of(*fallback);
    const Utf8Step step = piece.empty() ? Utf8Step{} : read_utf8(piece, 0);
    became = "became " + (step.valid && step.length == piece.size() ? describe_character(step.code_point) : piece);
  }
  const char* what = tokenizer.name() == "bpe" && !tokenizer.fallback_id() ? "byte" : "character";
  if (tokenizer.name().starts_with("word")) what = "word";
  return fmt::format("{} {}{} that the vocabulary does not have {}", grouped(unknown.characters), what, one ? "" : "s",
                     became);
}

void Tokenizer::check_id(std::int32_t id) const {
  if (id >= 0 && id < vocab_size()) return;
  throw DataError(fmt::format(
      "[tokenizer] token id must be in 0 .. {}; got {} ({}-level vocabulary of {} tokens). Hint: the ids were "
      "made with another tokenizer.",
      vocab_size() - 1, id, name(), vocab_size()));
}

}  // namespace minnow
