// Feeds any text to the reader of .tiktoken files. What is accepted must be a working tokenizer whose tokenizer.json
// reads back as the same one.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "minnow/base/error.hpp"
#include "minnow/text/bpe_tokenizer.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void use(const minnow::BpeTokenizer& tokenizer, std::string_view text) {
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) require(tokenizer.id_of(tokenizer.piece_of(id)) == id);
  const auto ids = tokenizer.encode(text, minnow::UnknownCharacter::kReplace);
  for (const std::int32_t id : ids) require(id >= 0 && id < tokenizer.vocab_size());
  require(tokenizer.decode(ids).size() <= text.size());
  const auto again = minnow::Tokenizer::from_json(tokenizer.to_json());
  require(again->to_json() == tokenizer.to_json());
  require(again->encode(text, minnow::UnknownCharacter::kReplace) == ids);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto pattern = size % 2 == 0 ? minnow::SplitPattern::kCl100k : minnow::SplitPattern::kLlama3;
  try {
    use(minnow::BpeTokenizer(minnow::read_tiktoken(text, pattern, {{.id = 300, .content = "<|end|>"}})), text);
  } catch (const minnow::DataError&) {  // the answer to a bad file
    return 0;
  }
  return 0;
}
