#include "minnow/text/stream_decoder.hpp"

#include <string_view>

#include "minnow/text/utf8.hpp"

namespace minnow {

std::string StreamDecoder::push(std::int32_t id) {
  const std::string_view bytes = tokenizer_->bytes_of(id);
  pending_ += begins_ ? tokenizer_->first_bytes_of(id) : bytes;
  begins_ = begins_ && bytes.empty();
  std::string whole;
  std::size_t position = 0;
  while (position < pending_.size()) {
    const Utf8Step step = read_utf8(pending_, position);
    if (step.truncated) break;
    if (step.valid) {
      whole.append(pending_, position, step.length);
    } else {
      append_utf8(whole, kReplacementCharacter);
    }
    position += step.length;
  }
  pending_.erase(0, position);
  return whole;
}

std::string StreamDecoder::finish() {
  std::string rest = replace_invalid_utf8(pending_);
  pending_.clear();
  return rest;
}

}  // namespace minnow
