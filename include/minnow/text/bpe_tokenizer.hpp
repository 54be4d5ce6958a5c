#pragma once
/// @file
/// Encodes by byte pairs: GPT-2's, GPT-4's and every other byte-level BPE, and LLaMA 2's and others of characters, with
/// the ids that tiktoken and the library `tokenizers` give.

#include <memory>

#include "minnow/text/bpe_model.hpp"
#include "minnow/text/tokenizer.hpp"

namespace minnow {

/// A text is cut into pieces (split_pattern.hpp), and within each piece the neighbouring tokens of lowest rank merge
/// until none is left that does. Words that come again are remembered, per thread. Texts from 128 KiB on are encoded
/// on all threads, in parts whose borders depend on the text alone: the ids are the same for any number of threads.
///
/// Any bytes, well-formed or not, decode to what they were (but for the blank of add_prefix_space). A vocabulary may
/// lack some bytes: these are its unknown characters, left out under UnknownCharacter::kReplace.
///
/// With BpeModel::characters the symbols are characters, U+2581 decodes to a blank, and a text is cut where no merge
/// reaches over the beginning of a word. Bytes that are not UTF-8 are their tokens; without these they become U+FFFD.
///
/// Added tokens that are not special are found in every text. Special ones are ordinary text to encode and
/// encode_into, and their ids to encode_marked.
class BpeTokenizer final : public Tokenizer {
 public:
  /// Throws: DataError when pieces repeat, or merges or added tokens do not fit the pieces.
  explicit BpeTokenizer(BpeModel model);
  ~BpeTokenizer() override;
  BpeTokenizer(BpeTokenizer&&) = delete;
  BpeTokenizer& operator=(BpeTokenizer&&) = delete;
  BpeTokenizer(const BpeTokenizer&) = delete;
  BpeTokenizer& operator=(const BpeTokenizer&) = delete;

  [[nodiscard]] const BpeModel& model() const noexcept;

  [[nodiscard]] std::string_view name() const noexcept override { return "bpe"; }
  [[nodiscard]] std::int32_t vocab_size() const noexcept override;
  /// @return the special token that by its name ends a document (<|endoftext|>, <|end_of_text|>, </s>, <eos>), or the
  /// only special token.
  [[nodiscard]] std::optional<std::int32_t> boundary_id() const noexcept override;
  [[nodiscard]] std::optional<std::int32_t> begin_id() const noexcept override;
  [[nodiscard]] std::optional<std::int32_t> fallback_id() const noexcept override;
  void encode_into(std::string_view text, std::vector<std::int32_t>& ids,
                   UnknownCharacter unknown = UnknownCharacter::kError) const override;
  /// Appends the ids of `text` in which special tokens stand for themselves, as `tokenizers` reads every text and
  /// tiktoken one with allowed_special="all". Throws: as encode_into.
  void encode_marked_into(std::string_view text, std::vector<std::int32_t>& ids,
                          UnknownCharacter unknown = UnknownCharacter::kError) const;
  [[nodiscard]] UnknownText unknown_in(std::string_view text) const override;
  /// A cut lies behind a letter or number and before something else. With the pattern "none" or add_prefix_space there
  /// is none but the start; of characters it lies before a blank, and is the start where texts get a prefix.
  [[nodiscard]] std::size_t cut_before(std::string_view text, std::size_t position) const override;
  /// @return nothing for special tokens and gaps.
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
