#pragma once
/// @file
/// Writes and reads the tokenizer.json of the Hugging Face library `tokenizers`, for vocabularies without merges.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minnow {

/// Which of the two vocabularies without merges a file describes.
enum class VocabularyKind { kChar, kByte };

/// What minnow keeps of a tokenizer.json.
struct TokenizerFile {
  VocabularyKind kind = VocabularyKind::kChar;
  std::vector<std::string> pieces;  ///< by id
  std::int32_t boundary = -1;       ///< id of the special token, -1 = none
};

/// @return the file's text. The model is a BPE without merges, which splits a text into the pieces of single
/// characters; for bytes with the ByteLevel pre-tokenizer and decoder, for characters with none and Fuse.
[[nodiscard]] std::string write_tokenizer_json(const TokenizerFile& file);

/// Throws: DataError naming `source` when the text is not such a file.
[[nodiscard]] TokenizerFile read_tokenizer_json(std::string_view text, std::string_view source);

/// @return the printable stand-in of a byte in byte-level vocabularies: itself for 33..126, 161..172, 174..255, the
/// others in order U+0100, U+0101, ...
[[nodiscard]] char32_t byte_stand_in(std::uint8_t byte);

}  // namespace minnow
