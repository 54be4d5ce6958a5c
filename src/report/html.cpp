#include "report/html.hpp"

#include <fmt/format.h>

#include <cmath>

#include "minnow/base/sha256.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

constexpr char32_t kPictures = 0x2400;  // of control characters. Source: The Unicode Standard, chart U2400
constexpr char32_t kDelete = 0x7F, kPictureOfDelete = 0x2421, kLastControl = 0x9F;

char32_t visible(char32_t c) {
  if (c < 0x20 && c != '\n' && c != '\t') return kPictures + c;
  if (c == kDelete) return kPictureOfDelete;
  return c > kDelete && c <= kLastControl ? kReplacementCharacter : c;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string html;
  html.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step next = read_utf8(text, at);
    at += next.length;
    switch (next.code_point) {
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '&':
        html += "&amp;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        append_utf8(html, visible(next.code_point));
    }
  }
  return html;
}

std::string script_string(std::string_view text) {
  std::string json = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step next = read_utf8(text, at);
    at += next.length;
    const char32_t c = next.code_point;
    const bool plain =
        c >= 0x20 && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' && (c < kDelete || c > kLastControl);
    if (plain) {
      append_utf8(json, c);
    } else {
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    }
  }
  return json + '"';
}

std::string script_number(double value) {
  if (std::isnan(value)) return "null";
  return std::isinf(value) ? "false" : fmt::format("{:.6g}", value);
}

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = (group << 8U) | (i + k < bytes.size() ? bytes[i + k] : 0U);
    for (unsigned k = 0; k < 4; ++k) text += i + k <= bytes.size() ? kLetters[(group >> (18 - 6 * k)) & 63U] : '=';
  }
  return text;
}

std::string script_hash(std::string_view script) {
  Sha256 hash;
  hash.update(script);
  return fmt::format("'sha256-{}'", base64(hash.finish()));
}

}  // namespace minnow
