// Feeds any text, cut in two at its first NUL, to the reader of vocab.json and merges.txt. What is accepted must be a
// working tokenizer, and what it writes must read back as the same one.

#include <algorithm>
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
  std::vector<std::int32_t> marked;
  tokenizer.encode_marked_into(text, marked, minnow::UnknownCharacter::kReplace);
  for (const std::int32_t id : marked) require(id >= 0 && id < tokenizer.vocab_size());
  const minnow::BpeModel& model = tokenizer.model();
  const minnow::BpeTokenizer again(
      minnow::read_vocab_merges(minnow::write_vocab_json(model), minnow::write_merges_txt(model)));
  require(again.to_json() == tokenizer.to_json());
  require(again.encode(text, minnow::UnknownCharacter::kReplace) == ids);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = std::min(text.find('\0'), size);
  try {
    use(minnow::BpeTokenizer(minnow::read_vocab_merges(text.substr(0, cut), text.substr(std::min(cut + 1, size)))),
        text);
  } catch (const minnow::DataError&) {  // the answer to a bad pair
    return 0;
  }
  return 0;
}
