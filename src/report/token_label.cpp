#include <fmt/format.h>

#include "minnow/report/attention_maps.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

constexpr char32_t kOpenBox = 0x2423, kReturnArrow = 0x21B5, kTabArrow = 0x21E5;
constexpr char32_t kControlPictures = 0x2400, kDelete = 0x7F, kPictureOfDelete = 0x2421, kLastControl = 0x9F;

void append_visible(std::string& label, char32_t c) {
  if (c == ' ') return append_utf8(label, kOpenBox);
  if (c == '\n') return append_utf8(label, kReturnArrow);
  if (c == '\t') return append_utf8(label, kTabArrow);
  if (c < 0x20) return append_utf8(label, kControlPictures + c);
  if (c == kDelete) return append_utf8(label, kPictureOfDelete);
  const bool hidden = c <= kLastControl ? c > kDelete : is_white_space(c);
  if (!hidden) return append_utf8(label, c);
  label += fmt::format("U+{:04X}", static_cast<unsigned>(c));
}

}  // namespace

std::string visible_token(const Tokenizer* tokenizer, std::int32_t id) {
  if (tokenizer == nullptr || id >= tokenizer->vocab_size()) return fmt::format("{}", id);  // no token's row
  const std::string_view bytes = tokenizer->bytes_of(id);
  if (bytes.empty()) return tokenizer->piece_of(id);
  std::string label;
  for (std::size_t at = 0; at < bytes.size();) {
    const Utf8Step next = read_utf8(bytes, at);
    if (next.valid) {
      append_visible(label, next.code_point);
    } else {
      for (std::size_t i = at; i < at + next.length; ++i) {
        label += fmt::format("\\x{:02X}", static_cast<unsigned>(static_cast<unsigned char>(bytes[i])));
      }
    }
    at += next.length;
  }
  return label;
}

}  // namespace minnow
