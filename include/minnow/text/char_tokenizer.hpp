#pragma once
/// @file
/// Gives every Unicode character of a corpus its own id, in code point order.

#include "minnow/text/tokenizer.hpp"

namespace minnow {

/// Characters are Unicode code points. With a boundary token id 0 is the boundary and the characters follow from 1;
/// without one the characters start at 0. (Names, one a line: boundary 0, a .. z = 1 .. 26, V = 27.)
///
/// Ill-formed UTF-8: each error (read_utf8) is the character U+FFFD, in the corpus as in a prompt, so decode gives
/// U+FFFD for it; text whose bytes matter belongs to ByteTokenizer. fallback_id: the first of U+FFFD, '?', ' ', line
/// feed that the vocabulary has.
class CharTokenizer final : public Tokenizer {
 public:
  /// Collects the different characters of a corpus piece by piece.
  class Builder {
   public:
    Builder();
    /// Adds the characters of `text`.
    void add(std::string_view text);
    /// @return the tokenizer of all characters added so far.
    /// Throws: DataError when there were none, or only white space (nothing could be learned from that).
    [[nodiscard]] std::shared_ptr<const CharTokenizer> build(bool with_boundary = false) const;

   private:
    std::vector<std::vector<bool>> pages_;  // which of the 4096 characters of a page were seen; empty: none
  };

  /// @return the tokenizer of the characters of `corpus`. Throws: as Builder::build.
  [[nodiscard]] static std::shared_ptr<const CharTokenizer> train(std::string_view corpus, bool with_boundary = false);

  /// @param pieces  the piece of each id, one character each except the boundary's.
  /// @param boundary  id of the boundary, -1 for none.
  /// @param begins  whether the file that it comes from puts the boundary before each text.
  /// Throws: DataError when a piece is empty, repeated, not valid UTF-8 or, the boundary apart, longer than a
  /// character.
  CharTokenizer(std::vector<std::string> pieces, std::int32_t boundary, bool begins = false);

  [[nodiscard]] std::string_view name() const noexcept override { return "char"; }
  [[nodiscard]] std::int32_t vocab_size() const noexcept override { return static_cast<std::int32_t>(pieces_.size()); }
  [[nodiscard]] std::optional<std::int32_t> boundary_id() const noexcept override;
  [[nodiscard]] std::optional<std::int32_t> begin_id() const noexcept override;
  [[nodiscard]] std::optional<std::int32_t> fallback_id() const noexcept override { return fallback_; }
  void encode_into(std::string_view text, std::vector<std::int32_t>& ids,
                   UnknownCharacter unknown = UnknownCharacter::kError) const override;
  [[nodiscard]] UnknownText unknown_in(std::string_view text) const override;
  [[nodiscard]] std::size_t cut_before(std::string_view text, std::size_t position) const override;
  [[nodiscard]] std::string_view bytes_of(std::int32_t id) const override;
  [[nodiscard]] std::string piece_of(std::int32_t id) const override;
  [[nodiscard]] std::optional<std::int32_t> id_of(std::string_view piece) const override;
  [[nodiscard]] std::string to_json() const override;

 private:
  [[nodiscard]] std::int32_t lookup(char32_t code_point) const;

  std::vector<std::string> pieces_;
  std::int32_t boundary_;
  bool begins_;
  std::optional<std::int32_t> fallback_;
  std::vector<std::int32_t> pages_;  // where the ids of each 256 code points begin in ids_
  std::vector<std::int32_t> ids_;    // by pages, -1 = none; the first page stands for all that have none
};

}  // namespace minnow
