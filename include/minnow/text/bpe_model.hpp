#pragma once
/// @file
/// What a byte-pair encoding consists of, and the files that it comes in.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/text/split_pattern.hpp"

namespace minnow {

/// Two tokens that become one. The place in BpeModel::merges is the rank: lower ones merge first.
struct BpeMerge {
  std::int32_t left = 0, right = 0, result = 0;

  bool operator==(const BpeMerge&) const = default;
};

/// A token that is looked for in the text itself, before anything is split.
struct AddedToken {
  std::int32_t id = 0;
  std::string content{};
  bool single_word = false;  ///< only where no part of a word stands before or behind it
  bool lstrip = false;       ///< takes the white space before it along
  bool rstrip = false;       ///< takes the white space behind it along
  bool normalized = false;   ///< looked for after all those that are not
  bool special = true;       ///< marks something (a boundary, ...) that no text spells: decoded to nothing

  bool operator==(const AddedToken&) const = default;
};

/// What is different where the symbols that merge are characters, as in the vocabularies of SentencePiece (LLaMA 2,
/// Mistral, Gemma): a blank is the sign U+2581, and a character without a token becomes those of its bytes, <0x00> to
/// <0xFF>.
struct BpeCharacters {
  /// When the sign is put before a stretch of text, which ends where an added token stands.
  enum class Prefix { kNever, kAlways, kUnlessThere, kUnlessThereAtStart };

  Prefix prefix = Prefix::kAlways;
  bool normalizes = true;     ///< added tokens that are `normalized` are looked for among signs and prefix
  bool splits = false;        ///< no token reaches over the beginning of a word, the sign
  bool byte_fallback = true;  ///< whether characters become bytes where all of these are tokens
  bool byte_names = true;     ///< whether decoding makes bytes of these names
  std::int32_t unknown = -1;  ///< the token for characters that do not; -1: they are left out
  bool fuse_unknown = true;   ///< one token for several of them in a row
  bool drops_blank = true;    ///< decoding drops a blank that a text begins with
  std::string normalizer = "null", pre_tokenizer = "null", decoder = "null";  ///< of tokenizer.json, as they were
};

/// A BPE, byte-level unless `characters` says otherwise. Tokens are byte strings; ids may have gaps.
struct BpeModel {
  std::vector<std::string> pieces{};  ///< by id: the name in tokenizer.json (bytes by their stand-ins); empty: a gap
  std::vector<BpeMerge> merges{};     ///< by rank
  std::vector<AddedToken> added{};    ///< by id
  SplitPattern pattern = SplitPattern::kGpt2;
  bool add_prefix_space = false;        ///< a text that does not begin with a blank gets one (RoBERTa)
  bool ignore_merges = false;           ///< a piece that is a token as a whole is that token, merges or not (tiktoken)
  std::string post_processor = "null";  ///< of tokenizer.json, as it was; minnow itself adds no tokens
  std::optional<BpeCharacters> characters{};
};

/// @return the name of a byte string in a byte-level vocabulary: each byte's printable stand-in.
[[nodiscard]] std::string piece_of_bytes(std::string_view bytes);

/// @return the bytes that a name stands for; a name with characters that are no stand-ins stands for itself.
[[nodiscard]] std::string bytes_of_piece(std::string_view piece);

/// Reads GPT-2's pair of files: encoder.json (vocab.json), names to ids, and vocab.bpe (merges.txt), a merge a line.
/// Names that are neither bytes nor made by a merge and stand in <> or [] are special tokens.
/// @param vocab_source, merges_source  the files' names, for error messages.
/// Throws: DataError when a text is not such a file, or a merge names or makes a token that the vocabulary lacks.
[[nodiscard]] BpeModel read_vocab_merges(std::string_view vocab, std::string_view merges,
                                         std::string_view vocab_source = "vocab.json",
                                         std::string_view merges_source = "merges.txt");

/// Reads tiktoken's ranks: lines of a byte string in base64, a blank and its rank, which is its id. Merges are those by
/// which each token comes about from the tokens of lower rank. The file does not say how texts are split.
/// @param special  tokens beside the ranks. Throws: DataError when the text is not such a file.
[[nodiscard]] BpeModel read_tiktoken(std::string_view text, SplitPattern pattern, std::vector<AddedToken> special = {},
                                     std::string_view source = "a .tiktoken file");

/// @return vocab.json of a model: what transformers' GPT2Tokenizer takes. Throws: DataError when the pair of files
/// cannot hold the model (another pattern than GPT-2's, tokens without a name).
[[nodiscard]] std::string write_vocab_json(const BpeModel& model);

/// @return merges.txt of a model. Throws: as write_vocab_json.
[[nodiscard]] std::string write_merges_txt(const BpeModel& model);

}  // namespace minnow
