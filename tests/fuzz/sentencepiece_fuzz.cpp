// Feeds any bytes to the reader of SentencePiece's .model files. What is accepted encodes and decodes texts with ids of
// its vocabulary. Without the library nothing is read.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "minnow/base/error.hpp"
#include "minnow/text/sentencepiece_tokenizer.hpp"
#include "minnow/text/utf8.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (!minnow::has_sentencepiece()) return 0;
  try {
    const minnow::SentencePieceTokenizer tokenizer(std::string(reinterpret_cast<const char*>(data), size));
    const auto ids = tokenizer.encode("It's a boat, Straße.\n", minnow::UnknownCharacter::kReplace);
    for (const std::int32_t id : ids) {
      if (id < 0 || id >= tokenizer.vocab_size()) std::abort();
    }
    if (minnow::count_invalid_utf8(tokenizer.decode_text(ids)) != 0) std::abort();
  } catch (const minnow::DataError&) {
  }
  return 0;
}
