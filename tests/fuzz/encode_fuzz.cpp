// Encodes any bytes by byte pairs, with each pattern that cuts texts. They come back as they were, and a text that is
// cut where the tokenizer allows it gives the same ids as the whole.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/text/bpe_tokenizer.hpp"
#include "minnow/text/bpe_trainer.hpp"
#include "minnow/text/split_pattern.hpp"

namespace {

using minnow::BpeTokenizer;
using minnow::SplitPattern;

void require(bool holds) {
  if (!holds) std::abort();
}

std::vector<std::unique_ptr<BpeTokenizer>> tokenizers() {
  constexpr std::string_view kText =
      "It's a boat, they'll say; 12345 of them!\r\n\n  \tÜber die Straße, наша лодка, 私たちの船 "
      "\xF0\x9F\x98\x80\xF0\x9F\x98\x80\n";
  std::string text;
  for (int i = 0; i < 8; ++i) text += kText;
  std::vector<std::unique_ptr<BpeTokenizer>> made;
  for (const SplitPattern pattern :
       {SplitPattern::kGpt2, SplitPattern::kCl100k, SplitPattern::kLlama3, SplitPattern::kQwen2, SplitPattern::kNone}) {
    made.push_back(std::make_unique<BpeTokenizer>(
        minnow::train_bpe(std::array{std::string_view(text)}, {.vocab_size = 400, .pattern = pattern})));
  }
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::unique_ptr<BpeTokenizer>> all = tokenizers();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& made : all) {
    const BpeTokenizer& tokenizer = *made;
    const std::vector<std::int32_t> ids = tokenizer.encode(text);
    std::string joined;
    for (const std::int32_t id : ids) joined += tokenizer.bytes_of(id);
    require(joined == text);
    if (size < 2) continue;
    const std::size_t cut = tokenizer.cut_before(text, size / 2);
    require(cut <= size / 2);
    std::vector<std::int32_t> parts = tokenizer.encode(text.substr(0, cut));
    for (const std::int32_t id : tokenizer.encode(text.substr(cut))) parts.push_back(id);
    require(parts == ids);
  }
  return 0;
}
