#pragma once
/// @file
/// Turns token ids that arrive one by one into text that can be shown at once.

#include <cstdint>
#include <string>

#include "minnow/text/tokenizer.hpp"

namespace minnow {

/// Holds back the bytes of a character until it is whole, so every piece it gives is valid UTF-8. Bytes that cannot
/// become a character any more come out as U+FFFD as soon as that is certain, those left over at the end by finish().
/// The pieces one after the other, finish() included, of a text that begins, equal Tokenizer::decode_text of all ids.
class StreamDecoder {
 public:
  /// @param begins  nothing stands before: the text begins as Tokenizer::decode begins one.
  explicit StreamDecoder(const Tokenizer& tokenizer, bool begins = true) : tokenizer_(&tokenizer), begins_(begins) {}

  /// @return the text that `id` completes, often empty. Throws: DataError when id is not in the vocabulary.
  [[nodiscard]] std::string push(std::int32_t id);

  /// @return what is held back, as U+FFFD; the decoder then starts anew.
  [[nodiscard]] std::string finish();

 private:
  const Tokenizer* tokenizer_;
  bool begins_;
  std::string pending_;  // at most 3 bytes: the start of a character
};

}  // namespace minnow
