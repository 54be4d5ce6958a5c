#include "minnow/text/byte_tokenizer.hpp"

#include <fmt/format.h>

#include <map>

#include "minnow/base/error.hpp"
#include "minnow/text/utf8.hpp"
#include "text/tokenizer_json.hpp"

namespace minnow {
namespace {

std::string stand_in_piece(std::uint8_t byte) {
  std::string piece;
  append_utf8(piece, byte_stand_in(byte));
  return piece;
}

}  // namespace

ByteTokenizer::ByteTokenizer(bool with_boundary) {
  for (std::size_t byte = 0; byte < 256; ++byte) {
    ids_[byte] = static_cast<std::int32_t>(byte);
    bytes_[byte] = static_cast<char>(static_cast<std::uint8_t>(byte));
  }
  if (!with_boundary) return;
  boundary_ = 256;
  boundary_piece_ = kBoundaryPiece;
}

ByteTokenizer::ByteTokenizer(const std::vector<std::string>& pieces, std::int32_t boundary) : boundary_(boundary) {
  const std::size_t wanted = boundary < 0 ? 256 : 257;
  if (pieces.size() != wanted) {
    throw DataError(fmt::format("[tokenizer] a byte vocabulary must have {} tokens; got {}.", wanted, pieces.size()));
  }
  std::map<std::string, std::uint8_t> byte_of;
  for (unsigned byte = 0; byte < 256; ++byte) {
    byte_of.emplace(stand_in_piece(static_cast<std::uint8_t>(byte)), static_cast<std::uint8_t>(byte));
  }
  for (std::size_t id = 0; id < wanted; ++id) {
    if (static_cast<std::int32_t>(id) == boundary) {
      boundary_piece_ = pieces[id];
      continue;
    }
    const auto found = byte_of.find(pieces[id]);
    if (found == byte_of.end()) {
      throw DataError(
          fmt::format("[tokenizer] a byte vocabulary must hold the stand-in of each byte once; got \"{}\" for id "
                      "{}, which is none or is there twice.",
                      replace_invalid_utf8(pieces[id]), id));
    }
    ids_[found->second] = static_cast<std::int32_t>(id);
    bytes_[id] = static_cast<char>(found->second);
    byte_of.erase(found);
  }
}

std::optional<std::int32_t> ByteTokenizer::boundary_id() const noexcept {
  return boundary_ < 0 ? std::nullopt : std::optional(boundary_);
}

void ByteTokenizer::encode_into(std::string_view text, std::vector<std::int32_t>& ids, UnknownCharacter) const {
  const std::size_t start = ids.size();
  ids.resize(start + text.size());
  for (std::size_t i = 0; i < text.size(); ++i) ids[start + i] = ids_[static_cast<std::uint8_t>(text[i])];
}

std::size_t ByteTokenizer::cut_before(std::string_view, std::size_t position) const { return position; }

std::string_view ByteTokenizer::bytes_of(std::int32_t id) const {
  check_id(id);
  if (id == boundary_) return {};
  return {&bytes_[static_cast<std::size_t>(id)], 1};
}

std::string ByteTokenizer::piece_of(std::int32_t id) const {
  check_id(id);
  if (id == boundary_) return boundary_piece_;
  return stand_in_piece(static_cast<std::uint8_t>(bytes_[static_cast<std::size_t>(id)]));
}

std::optional<std::int32_t> ByteTokenizer::id_of(std::string_view piece) const {
  if (boundary_ >= 0 && piece == boundary_piece_) return boundary_;
  for (std::int32_t id = 0; id < vocab_size(); ++id) {
    if (id != boundary_ && piece_of(id) == piece) return id;
  }
  return std::nullopt;
}

std::string ByteTokenizer::to_json() const {
  std::vector<std::string> pieces;
  pieces.reserve(257);
  for (std::int32_t id = 0; id < vocab_size(); ++id) pieces.push_back(piece_of(id));
  return write_tokenizer_json({VocabularyKind::kByte, std::move(pieces), boundary_});
}

}  // namespace minnow
