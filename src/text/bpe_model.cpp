#include "minnow/text/bpe_model.hpp"

#include <array>

#include "minnow/text/utf8.hpp"
#include "text/tokenizer_json.hpp"

namespace minnow {
namespace {

// All stand-ins lie below U+0144.
constexpr std::size_t kStandIns = 0x144;

const std::array<std::int16_t, kStandIns>& bytes_by_stand_in() {
  static const auto table = [] {
    std::array<std::int16_t, kStandIns> made{};
    made.fill(-1);
    for (unsigned byte = 0; byte < 256; ++byte) {
      made[byte_stand_in(static_cast<std::uint8_t>(byte))] = static_cast<std::int16_t>(byte);
    }
    return made;
  }();
  return table;
}

const std::array<std::string, 256>& stand_ins() {
  static const auto table = [] {
    std::array<std::string, 256> made;
    for (unsigned byte = 0; byte < 256; ++byte) {
      append_utf8(made[byte], byte_stand_in(static_cast<std::uint8_t>(byte)));
    }
    return made;
  }();
  return table;
}

}  // namespace

std::string piece_of_bytes(std::string_view bytes) {
  std::string piece;
  piece.reserve(bytes.size());
  for (const char byte : bytes) piece += stand_ins()[static_cast<std::uint8_t>(byte)];
  return piece;
}

std::string bytes_of_piece(std::string_view piece) {
  std::string bytes;
  bytes.reserve(piece.size());
  for (std::size_t i = 0; i < piece.size();) {
    const Utf8Step step = read_utf8(piece, i);
    const bool known = step.valid && step.code_point < kStandIns && bytes_by_stand_in()[step.code_point] >= 0;
    if (!known) return std::string(piece);
    bytes.push_back(static_cast<char>(static_cast<std::uint8_t>(bytes_by_stand_in()[step.code_point])));
    i += step.length;
  }
  return bytes;
}

}  // namespace minnow
