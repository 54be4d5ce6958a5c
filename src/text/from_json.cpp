#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/text/byte_tokenizer.hpp"
#include "minnow/text/char_tokenizer.hpp"
#include "text/tokenizer_json.hpp"

namespace minnow {

std::shared_ptr<const Tokenizer> Tokenizer::from_json(std::string_view json, std::string_view source) {
  TokenizerFile file = read_tokenizer_json(json, source);
  if (file.kind == VocabularyKind::kByte) return std::make_shared<ByteTokenizer>(file.pieces, file.boundary);
  return std::make_shared<CharTokenizer>(std::move(file.pieces), file.boundary);
}

}  // namespace minnow
