#include "text/base64.hpp"

#include <algorithm>
#include <cstdint>

namespace minnow {
namespace {

constexpr std::string_view kBase64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// @return the value of a base64 character, -1 for others.
int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = (bits << 8U) | (k < count ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text.push_back(k <= count ? kBase64Letters[(bits >> (18U - 6U * static_cast<unsigned>(k))) & 63U] : '=');
    }
  }
  return text;
}

bool decode_base64(std::string_view text, std::string& bytes) {
  bytes.clear();
  if (text.empty() || text.size() % 4 != 0) return false;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pad = i + padding >= text.size();
    const int value = pad ? 0 : base64_value(text[i]);
    if (value < 0) return false;
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    if (i % 4 != 3) continue;
    for (const unsigned shift : {16U, 8U, 0U}) bytes.push_back(static_cast<char>((bits >> shift) & 0xFFU));
  }
  for (std::size_t i = 0; i < padding; ++i) bytes.pop_back();
  return true;
}

}  // namespace minnow
