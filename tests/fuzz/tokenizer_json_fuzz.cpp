// Feeds any text to the reader of tokenizer.json. What is accepted must be a working tokenizer: every id has a piece of
// its own, any text can be encoded and decoded, and what it writes reads back as the same vocabulary.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "minnow/base/error.hpp"
#include "minnow/text/stream_decoder.hpp"
#include "minnow/text/tokenizer.hpp"
#include "minnow/text/utf8.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void use(const minnow::Tokenizer& tokenizer, std::string_view text) {
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) require(tokenizer.id_of(tokenizer.piece_of(id)) == id);
  const auto ids = tokenizer.encode(text, minnow::UnknownCharacter::kReplace);
  minnow::StreamDecoder decoder(tokenizer);
  std::string joined;
  for (const std::int32_t id : ids) {
    require(id >= 0 && id < tokenizer.vocab_size());
    joined += decoder.push(id);
  }
  joined += decoder.finish();
  require(joined == tokenizer.decode_text(ids));
  require(minnow::count_invalid_utf8(joined) == 0);
  const auto again = minnow::Tokenizer::from_json(tokenizer.to_json());
  require(again->to_json() == tokenizer.to_json());
  require(again->encode(text, minnow::UnknownCharacter::kReplace) == ids);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    use(*minnow::Tokenizer::from_json(text, "fuzz"), text);
  } catch (const minnow::DataError&) {  // the answer to a bad file
    return 0;
  } catch (const minnow::ConfigError&) {  // a SentencePiece model, and a build without its library
    return 0;
  }
  return 0;
}
