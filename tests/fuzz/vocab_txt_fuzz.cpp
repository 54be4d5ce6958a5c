// Feeds any text to the reader of BERT's vocab.txt. What is accepted must be a working tokenizer, and what it writes
// must read back as the same one.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "minnow/base/error.hpp"
#include "minnow/text/word_tokenizer.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void use(const minnow::WordTokenizer& tokenizer, std::string_view text) {
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) require(tokenizer.id_of(tokenizer.piece_of(id)) == id);
  const auto ids = tokenizer.encode(text, minnow::UnknownCharacter::kReplace);
  for (const std::int32_t id : ids) require(id >= 0 && id < tokenizer.vocab_size());
  const std::size_t cut = text.empty() ? 0 : tokenizer.cut_before(text, text.size() / 2);
  auto parts = tokenizer.encode(text.substr(0, cut), minnow::UnknownCharacter::kReplace);
  tokenizer.encode_into(text.substr(cut), parts, minnow::UnknownCharacter::kReplace);
  require(parts == ids);
  std::vector<std::int32_t> marked;
  tokenizer.encode_marked_into(text, marked, minnow::UnknownCharacter::kReplace);
  for (const std::int32_t id : marked) require(id >= 0 && id < tokenizer.vocab_size());
  const minnow::WordTokenizer again(
      minnow::read_vocab_txt(minnow::write_vocab_txt(tokenizer.model()), tokenizer.model().cleaning->lowercase));
  require(again.to_json() == tokenizer.to_json());
  const auto back = minnow::Tokenizer::from_json(tokenizer.to_json());
  require(back->to_json() == tokenizer.to_json());
  require(back->encode(text, minnow::UnknownCharacter::kReplace) == ids);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    use(minnow::WordTokenizer(minnow::read_vocab_txt(text)), text);
  } catch (const minnow::DataError&) {  // the answer to a bad file
    return 0;
  }
  return 0;
}
