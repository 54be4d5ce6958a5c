#pragma once
/// @file
/// Encodes by words: BERT's WordPiece and vocabularies of whole words, with the ids that the library `tokenizers`
/// gives.

#include <memory>

#include "minnow/text/tokenizer.hpp"
#include "minnow/text/word_model.hpp"

namespace minnow {

/// A text is cleaned (TextCleaning), cut into words (WordSplit), and each word is a token or, by WordPiece, the longest
/// token that begins it, then the longest piece that goes on, and so forth; a word that ends in nothing is unknown as a
/// whole. Ill-formed UTF-8 is read as U+FFFD.
///
/// Unless WordModel::keeps_text, decoding gives a text with the same tokens and not the same bytes: no byte count of a
/// text then measures what the tokens say.
///
/// Added tokens that are not special are found in every text. Special ones are ordinary text to encode and encode_into,
/// and their ids to encode_marked_into.
class WordTokenizer final : public Tokenizer {
 public:
  /// Throws: DataError when pieces repeat, the unknown token of a WordPiece is missing, or added tokens do not fit.
  explicit WordTokenizer(WordModel model);
  ~WordTokenizer() override;
  WordTokenizer(WordTokenizer&&) = delete;
  WordTokenizer& operator=(WordTokenizer&&) = delete;
  WordTokenizer(const WordTokenizer&) = delete;
  WordTokenizer& operator=(const WordTokenizer&) = delete;

  [[nodiscard]] const WordModel& model() const noexcept;

  /// @return "wordpiece" or "word".
  [[nodiscard]] std::string_view name() const noexcept override;
  [[nodiscard]] std::int32_t vocab_size() const noexcept override;
  /// @return the special token that by its name ends a document (<|endoftext|>, </s>, <eos>, [SEP]).
  [[nodiscard]] std::optional<std::int32_t> boundary_id() const noexcept override;
  [[nodiscard]] std::optional<std::int32_t> begin_id() const noexcept override;
  /// @return the unknown token.
  [[nodiscard]] std::optional<std::int32_t> fallback_id() const noexcept override;
  [[nodiscard]] bool keeps_text() const noexcept override;
  void encode_into(std::string_view text, std::vector<std::int32_t>& ids,
                   UnknownCharacter unknown = UnknownCharacter::kError) const override;
  /// Appends the ids of `text` in which special tokens stand for themselves, as `tokenizers` reads every text.
  /// Throws: as encode_into.
  void encode_marked_into(std::string_view text, std::vector<std::int32_t>& ids,
                          UnknownCharacter unknown = UnknownCharacter::kError) const;
  /// @return the ids that the post-processor puts before and behind a text: [CLS] and [SEP].
  [[nodiscard]] const std::vector<std::int32_t>& before_text() const noexcept;
  [[nodiscard]] const std::vector<std::int32_t>& behind_text() const noexcept;
  /// Counts words; their bytes are those of the text as it is cut, after cleaning.
  [[nodiscard]] UnknownText unknown_in(std::string_view text) const override;
  [[nodiscard]] std::size_t cut_before(std::string_view text, std::size_t position) const override;
  /// @return nothing for special tokens and gaps; the unknown token's own name.
  [[nodiscard]] std::string_view bytes_of(std::int32_t id) const override;
  [[nodiscard]] std::string_view first_bytes_of(std::int32_t id) const override;
  /// @return for a gap a name that says so.
  [[nodiscard]] std::string piece_of(std::int32_t id) const override;
  [[nodiscard]] std::optional<std::int32_t> id_of(std::string_view piece) const override;
  [[nodiscard]] std::string to_json() const override;

 private:
  class Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace minnow
