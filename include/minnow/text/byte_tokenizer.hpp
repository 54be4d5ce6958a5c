#pragma once
/// @file
/// Gives every byte an id: no text is unknown, decode(encode(x)) is x for any bytes.

#include <array>

#include "minnow/text/tokenizer.hpp"

namespace minnow {

/// 256 ids equal to the byte values, and a boundary token as id 256 when asked for. In tokenizer.json it is a
/// byte-level BPE without merges, whose pieces are GPT-2's printable stand-ins for the bytes (space is U+0120, and so
/// on); files from elsewhere may number the bytes in another order.
class ByteTokenizer final : public Tokenizer {
 public:
  explicit ByteTokenizer(bool with_boundary = false);

  /// @param pieces  256 byte stand-ins in any order and at most one other piece, the boundary's.
  /// @param boundary  id of the boundary, -1 for none.
  /// Throws: DataError when a byte is missing or repeated or a piece is neither a byte nor the boundary.
  ByteTokenizer(const std::vector<std::string>& pieces, std::int32_t boundary);

  [[nodiscard]] std::string_view name() const noexcept override { return "byte"; }
  [[nodiscard]] std::int32_t vocab_size() const noexcept override { return boundary_ < 0 ? 256 : 257; }
  [[nodiscard]] std::optional<std::int32_t> boundary_id() const noexcept override;
  [[nodiscard]] std::optional<std::int32_t> fallback_id() const noexcept override { return std::nullopt; }
  void encode_into(std::string_view text, std::vector<std::int32_t>& ids,
                   UnknownCharacter unknown = UnknownCharacter::kError) const override;
  [[nodiscard]] std::size_t cut_before(std::string_view text, std::size_t position) const override;
  [[nodiscard]] std::string_view bytes_of(std::int32_t id) const override;
  [[nodiscard]] std::string piece_of(std::int32_t id) const override;
  [[nodiscard]] std::optional<std::int32_t> id_of(std::string_view piece) const override;
  [[nodiscard]] std::string to_json() const override;

 private:
  std::array<std::int32_t, 256> ids_{};  // by byte
  std::array<char, 257> bytes_{};        // by id; the boundary's entry is unused
  std::int32_t boundary_ = -1;
  std::string boundary_piece_;
};

}  // namespace minnow
