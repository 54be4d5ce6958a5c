#pragma once
/// @file
/// Encodes by a SentencePiece model (the tokenizer.model of LLaMA 2, the spiece.model of T5), through the library of
/// that name, which a build may lack.

#include <memory>
#include <string>
#include <string_view>

#include "minnow/text/tokenizer.hpp"

namespace minnow {

/// @return whether minnow was built with the library.
[[nodiscard]] bool has_sentencepiece() noexcept;

/// The ids of the library's own encoder. Control symbols (<s>, </s>) are never found in a text. Ill-formed UTF-8 is
/// read as U+FFFD. Texts are not cut into parts, since the library puts a blank before each.
class SentencePieceTokenizer final : public Tokenizer {
 public:
  /// @param model  the bytes of a .model file. @param source  its name, for error messages.
  /// Throws: ConfigError when minnow was built without the library; DataError when the bytes are no such model, or too
  /// many.
  explicit SentencePieceTokenizer(std::string model, std::string_view source = "tokenizer.model");
  ~SentencePieceTokenizer() override;
  SentencePieceTokenizer(SentencePieceTokenizer&&) = delete;
  SentencePieceTokenizer& operator=(SentencePieceTokenizer&&) = delete;
  SentencePieceTokenizer(const SentencePieceTokenizer&) = delete;
  SentencePieceTokenizer& operator=(const SentencePieceTokenizer&) = delete;

  /// @return the bytes of the .model file.
  [[nodiscard]] const std::string& model() const noexcept;

  /// @return whether the model puts a blank before each text.
  [[nodiscard]] bool adds_blank() const noexcept;

  [[nodiscard]] std::string_view name() const noexcept override { return "sentencepiece"; }
  [[nodiscard]] std::int32_t vocab_size() const noexcept override;
  /// @return the end of a sentence, </s>.
  [[nodiscard]] std::optional<std::int32_t> boundary_id() const noexcept override;
  /// @return the beginning of a sentence, <s>, which LLaMA's tokenizer puts before each text.
  [[nodiscard]] std::optional<std::int32_t> begin_id() const noexcept override;
  [[nodiscard]] std::optional<std::int32_t> fallback_id() const noexcept override;
  /// @return whether the model neither changes characters (its normalizer is "identity") nor removes blanks.
  [[nodiscard]] bool keeps_text() const noexcept override;
  void encode_into(std::string_view text, std::vector<std::int32_t>& ids,
                   UnknownCharacter unknown = UnknownCharacter::kError) const override;
  [[nodiscard]] UnknownText unknown_in(std::string_view text) const override;
  [[nodiscard]] std::size_t cut_before(std::string_view text, std::size_t position) const override;
  [[nodiscard]] std::string_view bytes_of(std::int32_t id) const override;
  [[nodiscard]] std::string_view first_bytes_of(std::int32_t id) const override;
  [[nodiscard]] std::string piece_of(std::int32_t id) const override;
  [[nodiscard]] std::optional<std::int32_t> id_of(std::string_view piece) const override;
  /// @return an object of minnow's own that holds the model file in base64: `tokenizers` has no format for it.
  [[nodiscard]] std::string to_json() const override;

 private:
  class Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace minnow
