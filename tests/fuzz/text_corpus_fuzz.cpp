// Takes any bytes as a text: reads them as a corpus in each way, builds both tokenizers from it and encodes it. Nothing
// may crash, bytes must come back as they were, and characters with each ill-formed place as U+FFFD.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "minnow/base/error.hpp"
#include "minnow/data/corpus.hpp"
#include "minnow/text/byte_tokenizer.hpp"
#include "minnow/text/char_tokenizer.hpp"
#include "minnow/text/utf8.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void read(const std::string& text, minnow::Documents documents) {
  const minnow::TextCorpus corpus = minnow::make_text_corpus(text, "fuzz", documents);
  minnow::CharTokenizer::Builder builder;
  for (const std::string_view part : corpus.texts) builder.add(part);
  const auto characters = builder.build(documents != minnow::Documents::kStream);
  const minnow::ByteTokenizer bytes;
  for (const std::string_view part : corpus.texts) {
    require(!part.empty());
    require(part.find("\r\n") == std::string_view::npos || text.find("\r\r\n") != std::string::npos);
    require(bytes.decode(bytes.encode(part)) == part);
    require(characters->decode(characters->encode(part)) == minnow::replace_invalid_utf8(part));
    require(characters->encode(part).size() == minnow::count_characters(part));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  using minnow::Documents;
  for (const Documents documents : {Documents::kStream, Documents::kLines, Documents::kFiles}) {
    try {
      read(text, documents);
    } catch (const minnow::DataError&) {  // the answer to an empty or blank text
      continue;
    }
  }
  return 0;
}
