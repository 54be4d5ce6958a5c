#pragma once
/// @file
/// What the characters of a text begin as before pairs merge, and where no pair merges.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/text/bpe_model.hpp"
#include "minnow/text/tokenizer.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {

/// U+2581, which stands for a blank.
inline constexpr std::string_view kBlankSign = "\xE2\x96\x81";

/// @return the text with a blank for each sign.
[[nodiscard]] std::string with_blanks(std::string_view text);

/// @return the text with a sign for each blank.
[[nodiscard]] std::string with_signs(std::string_view text);

/// @return whether the text begins with a blank or its sign.
[[nodiscard]] bool begins_blank(std::string_view text);

/// @return the byte that a name as <0x0A> stands for; -1: it is no such name.
[[nodiscard]] int byte_of_name(std::string_view name);

/// The symbols of a vocabulary of characters, as the library `tokenizers` finds them. A byte that belongs to no
/// well-formed character is its token, or else U+FFFD.
class CharacterSymbols {
 public:
  /// @param model  with `characters`; must outlive this.
  explicit CharacterSymbols(const BpeModel& model);

  /// @return where the piece that begins at `begin` ends: what stands on its two sides never merges.
  [[nodiscard]] std::size_t piece_end(std::string_view text, std::size_t begin) const;

  /// @return whether a piece ends at `position` (0 < position < text.size()) in any text that looks so there.
  [[nodiscard]] bool cuts(std::string_view text, std::size_t position) const;

  /// Appends the symbols of a piece. @return whether it has a symbol for every character.
  bool append(std::string_view piece, std::vector<std::int32_t>& symbols) const;

  /// @return where the first character without a symbol stands; npos: nowhere.
  [[nodiscard]] std::size_t first_unknown(std::string_view text) const;
  [[nodiscard]] UnknownText unknown_in(std::string_view text) const;
  /// @return whether no text has an unknown character.
  [[nodiscard]] bool has_all() const noexcept { return has_all_; }

  /// @return whether the symbol of some character is this id.
  [[nodiscard]] bool gives(std::int32_t id) const { return symbols_[static_cast<std::size_t>(id)]; }

 private:
  /// One character.
  struct Found {
    Utf8Step step{};
    std::int32_t id = -1;      // its own token
    std::string_view bytes{};  // otherwise those to look for as bytes
    bool by_bytes = false;     // and whether they are there
    bool replaced = false;     // whether U+FFFD stands for an ill-formed one
    [[nodiscard]] bool known() const noexcept { return id >= 0 || by_bytes; }
  };
  [[nodiscard]] Found find(std::string_view text, std::size_t position) const;
  [[nodiscard]] bool have_bytes(std::string_view bytes) const;
  [[nodiscard]] std::int32_t id_of(char32_t character) const;
  void number_symbols();
  void find_joins();

  const BpeModel& model_;
  std::vector<std::int32_t> ids_;  // by code point, as far as there are any
  std::array<std::int32_t, 256> byte_ids_{};
  std::int32_t sign_ = -1;
  bool has_all_ = true;
  std::vector<bool> symbols_;  // by id: a character, or a byte
  std::vector<bool> joins_;    // by id: a symbol behind which a sign may merge
  bool others_join_ = false;   // and whether one may behind what is not a character's own token
  bool cuts_ = false;          // whether pieces end before signs at all
};

}  // namespace minnow
