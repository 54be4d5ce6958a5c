#pragma once
/// @file
/// Holds a few megabytes of text in pieces and encodes them in parallel.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/data/text_reader.hpp"
#include "minnow/text/tokenizer.hpp"

namespace minnow {

/// Pieces of text that are encoded together, and what became of each.
class TextBlock {
 public:
  /// One piece.
  struct Piece {
    std::size_t begin = 0, length = 0, group = 0;
    TextPiece place;  ///< without its text
    std::size_t first_id = 0, ids = 0;
    UnknownText unknown{};
  };

  /// Takes pieces until there are about 4 MiB. @return whether there is anything.
  bool read(TextReader& reader);

  /// Encodes all pieces. Throws: DataError with the place of the first piece that can't be.
  void encode(const Tokenizer& tokenizer, UnknownCharacter unknown, const TextReader& reader);

  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  [[nodiscard]] std::string_view text(const Piece& piece) const {
    return std::string_view(text_).substr(piece.begin, piece.length);
  }
  [[nodiscard]] std::span<const std::int32_t> ids(const Piece& piece) const {
    return std::span(ids_[piece.group]).subspan(piece.first_id, piece.ids);
  }

 private:
  std::string text_;
  std::vector<Piece> pieces_;
  std::vector<std::vector<std::int32_t>> ids_;  // by group
  std::size_t groups_ = 0;
};

}  // namespace minnow
