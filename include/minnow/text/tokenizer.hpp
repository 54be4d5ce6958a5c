#pragma once
/// @file
/// Turns text into token ids and back; every kind of tokenizer lives behind this interface and is stored with the
/// model as a tokenizer.json that the Hugging Face library `tokenizers` reads.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minnow {

/// What encode does with a character that the vocabulary does not have (byte-level tokenizers have them all).
enum class UnknownCharacter {
  kError,    ///< DataError that names the character, its code point and its position
  kReplace,  ///< the tokenizer's fallback_id() takes its place; without one the character is left out
};

/// What a text has that its ids do not say: no model that predicts them predicts it.
struct UnknownText {
  std::int64_t characters = 0;  ///< not in the vocabulary: replaced or left out (of byte pairs: bytes)
  std::int64_t ill_formed = 0;  ///< places that are not UTF-8 and became a U+FFFD of the vocabulary
  std::int64_t bytes = 0;       ///< of both in the text

  UnknownText& operator+=(const UnknownText& other) noexcept {
    characters += other.characters;
    ill_formed += other.ill_formed;
    bytes += other.bytes;
    return *this;
  }
};

/// Piece of the document boundary token unless something else is asked for; GPT-2's name for it.
inline constexpr std::string_view kBoundaryPiece = "<|endoftext|>";

/// A vocabulary with ids 0 .. V-1 and the rules that map text to ids. Immutable, so one object serves all threads.
class Tokenizer {
 public:
  Tokenizer() = default;
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;
  virtual ~Tokenizer() = default;

  /// @return "char", "byte", "bpe", "word", "wordpiece" or "sentencepiece".
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// @return V.
  [[nodiscard]] virtual std::int32_t vocab_size() const noexcept = 0;

  /// @return the id that stands before and after each document, if the vocabulary has one. encode never produces it:
  /// text that spells the boundary's piece is ordinary text.
  [[nodiscard]] virtual std::optional<std::int32_t> boundary_id() const noexcept = 0;

  /// @return the id that the tokenizer's own file puts before each text (a post-processor: [CLS], <s>), if it does.
  [[nodiscard]] virtual std::optional<std::int32_t> begin_id() const noexcept { return std::nullopt; }

  /// @return the id that takes the place of unknown characters, if there is one.
  [[nodiscard]] virtual std::optional<std::int32_t> fallback_id() const noexcept = 0;

  /// Appends the ids of `text` to `ids`. Ill-formed UTF-8 is never a crash: see the class of the tokenizer.
  /// Throws: DataError on an unknown character under UnknownCharacter::kError; `ids` is then unspecified.
  virtual void encode_into(std::string_view text, std::vector<std::int32_t>& ids,
                           UnknownCharacter unknown = UnknownCharacter::kError) const = 0;

  /// @return what encode_into under UnknownCharacter::kReplace would not say of `text`. Kinds of tokenizers that know
  /// every byte have nothing to count.
  [[nodiscard]] virtual UnknownText unknown_in(std::string_view text) const;

  /// Long texts are encoded in parts, cut where that changes no id.
  /// @return the largest such position <= `position` (< text.size()); 0 when there is none but the start.
  [[nodiscard]] virtual std::size_t cut_before(std::string_view text, std::size_t position) const = 0;

  /// @return the bytes that `id` stands for in a text; nothing for the boundary.
  /// Throws: DataError when id is not in 0 .. V-1.
  [[nodiscard]] virtual std::string_view bytes_of(std::int32_t id) const = 0;

  /// @return the bytes that `id` stands for at the beginning of a text: tokenizers of words leave the blank away there.
  /// Throws: as bytes_of.
  [[nodiscard]] virtual std::string_view first_bytes_of(std::int32_t id) const { return bytes_of(id); }

  /// @return whether decoding gives a text back as it was, as far as its tokens are known. Without that no number of
  /// bits per byte means anything: the model never had to say where lines end, or which letters are capitals.
  [[nodiscard]] virtual bool keeps_text() const noexcept { return true; }

  /// @return the name of `id` in tokenizer.json's vocabulary: valid UTF-8, different for every id.
  /// Throws: DataError when id is not in 0 .. V-1.
  [[nodiscard]] virtual std::string piece_of(std::int32_t id) const = 0;

  /// @return the id whose piece_of is `piece`.
  [[nodiscard]] virtual std::optional<std::int32_t> id_of(std::string_view piece) const = 0;

  /// @return the tokenizer.json: UTF-8, the nine top-level keys of the format and nothing else, the same bytes every
  /// time.
  [[nodiscard]] virtual std::string to_json() const = 0;

  /// Reads back what to_json wrote, and files of the same form made elsewhere.
  /// @param source  the file's name, for error messages.
  /// Throws: DataError when the text is not such a file or needs what minnow does not have (merges, normalizers, ...).
  [[nodiscard]] static std::shared_ptr<const Tokenizer> from_json(std::string_view json,
                                                                  std::string_view source = "tokenizer.json");

  /// @return the ids of `text`.
  [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text,
                                                 UnknownCharacter unknown = UnknownCharacter::kError) const;

  /// @return the bytes of the tokens one after the other. Byte-level tokens may give ill-formed UTF-8.
  [[nodiscard]] std::string decode(std::span<const std::int32_t> ids) const;

  /// @return decode(ids) with ill-formed bytes replaced by U+FFFD: what a terminal or a JSON string may hold.
  [[nodiscard]] std::string decode_text(std::span<const std::int32_t> ids) const;

 protected:
  /// Throws the DataError of bytes_of and piece_of.
  void check_id(std::int32_t id) const;
};

/// @return what became of the characters that a tokenizer does not know, for a person: "3 characters that the
/// vocabulary does not have became '?'".
[[nodiscard]] std::string describe_unknown(const UnknownText& unknown, const Tokenizer& tokenizer);

}  // namespace minnow
