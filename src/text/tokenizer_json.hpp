#pragma once
/// @file
/// Writes and reads the tokenizer.json of the Hugging Face library `tokenizers`.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/text/bpe_model.hpp"
#include "minnow/text/word_model.hpp"
#include "text/json_source.hpp"

namespace minnow {

/// Which of the two vocabularies without merges a file describes.
enum class VocabularyKind { kChar, kByte };

/// What minnow keeps of the tokenizer.json of a vocabulary without merges.
struct TokenizerFile {
  VocabularyKind kind = VocabularyKind::kChar;
  std::vector<std::string> pieces;  ///< by id
  std::int32_t boundary = -1;       ///< id of the special token, -1 = none
  bool begins = false;              ///< whether a post-processor puts it before each text
};

/// @return the file's text. The model is a BPE without merges, which splits a text into the pieces of single
/// characters; for bytes with the ByteLevel pre-tokenizer and decoder, for characters with none and Fuse.
[[nodiscard]] std::string write_tokenizer_json(const TokenizerFile& file);

/// @return the file's text of a BPE. Merges are strings, which the oldest readers know, unless a name has a
/// blank in it.
[[nodiscard]] std::string write_bpe_json(const BpeModel& model);

/// @return the file's text of a vocabulary of words or of their pieces.
[[nodiscard]] std::string write_word_json(const WordModel& model);

/// Checks the nine keys, the version and that a model of a known type has a vocabulary. Throws: DataError.
void check_tokenizer_json(const JsonSource& source, const JsonSource::Json& root);

/// Checks what all models of type BPE have in common. Throws: DataError.
void check_bpe(const JsonSource& source, const JsonSource::Json& root);

/// Reads a checked file whose model is of type WordPiece or WordLevel. Throws: DataError when the text is cleaned, cut
/// or joined in a way that minnow does not have.
[[nodiscard]] WordModel read_word_json(const JsonSource& source, const JsonSource::Json& root);

/// Reads a checked file whose pre-tokenizer is null. Throws: DataError when it is no vocabulary of characters.
[[nodiscard]] TokenizerFile read_char_json(const JsonSource& source, const JsonSource::Json& root);

/// Reads a checked file with a pre-tokenizer, or of characters that merge. Throws: DataError when it is none of the
/// two, or splits texts by a regular expression that is not known.
[[nodiscard]] BpeModel read_bpe_json(const JsonSource& source, const JsonSource::Json& root);

/// @return whether the symbols of a checked file of type BPE are characters that merge, with U+2581 for blanks.
[[nodiscard]] bool merges_characters(const JsonSource::Json& root);

/// Reads all but the vocabulary of such a file; `unknown` is left at -1. Throws: DataError when blanks are replaced,
/// texts cut or tokens joined in a way that minnow does not have.
[[nodiscard]] BpeCharacters read_bpe_characters(const JsonSource& source, const JsonSource::Json& root);

/// @return the printable stand-in of a byte in byte-level vocabularies: itself for 33..126, 161..172, 174..255, the
/// others in order U+0100, U+0101, ...
[[nodiscard]] char32_t byte_stand_in(std::uint8_t byte);

}  // namespace minnow
