#include "cli/line_buffer.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "minnow/text/utf8.hpp"

namespace minnow::cli {
namespace {

struct Range {
  char32_t first, last;
};

constexpr Range kJoining[] = {{0x300, 0x36F},   {0x1AB0, 0x1AFF}, {0x200B, 0x200F},  {0x20D0, 0x20FF},
                              {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0x1F3FB, 0x1F3FF}};
constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},
                           {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
                           {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

template <std::size_t kCount>
bool holds(const Range (&ranges)[kCount], char32_t code_point) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [=](const Range& range) { return range.first <= code_point && code_point <= range.last; });
}

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

int columns_of(char32_t code_point) {
  if (holds(kJoining, code_point)) return 0;
  return holds(kWide, code_point) ? 2 : 1;
}

ScreenPlace place_behind(std::string_view text, int columns) {
  ScreenPlace place;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step next = read_utf8(text, at);
    at += next.length;
    if (next.code_point == '\n') {
      place = {place.row + 1, 0};
      continue;
    }
    const int width = columns_of(next.code_point);
    if (place.column + width > columns) place = {place.row + 1, 0};  // a wide one that no longer fits
    place.column += width;
    if (place.column >= columns) place = {place.row + 1, 0};
  }
  return place;
}

void LineBuffer::set(std::string text) {
  text_ = std::move(text);
  cursor_ = text_.size();
}

void LineBuffer::insert(std::string_view piece) {
  text_.insert(cursor_, piece);
  cursor_ += piece.size();
}

std::size_t LineBuffer::left_of(std::size_t at) const {
  while (at > 0) {
    do --at;
    while (at > 0 && continues(text_[at]));
    if (columns_of(read_utf8(text_, at).code_point) > 0) break;  // marks go with the character that they join
  }
  return at;
}

std::size_t LineBuffer::right_of(std::size_t at) const {
  if (at < text_.size()) at += read_utf8(text_, at).length;
  while (at < text_.size()) {
    const Utf8Step next = read_utf8(text_, at);
    if (columns_of(next.code_point) > 0) break;
    at += next.length;
  }
  return at;
}

std::size_t LineBuffer::word_left_of(std::size_t at) const {
  while (at > 0 && text_[at - 1] == ' ') --at;
  while (at > 0 && text_[at - 1] != ' ') --at;
  return at;
}

std::size_t LineBuffer::word_right_of(std::size_t at) const {
  while (at < text_.size() && text_[at] == ' ') ++at;
  while (at < text_.size() && text_[at] != ' ') ++at;
  return at;
}

void LineBuffer::erase(std::size_t begin, std::size_t end) {
  text_.erase(begin, end - begin);
  cursor_ = begin;
}

void LineBuffer::kill(std::size_t begin, std::size_t end) {
  if (begin == end) return;
  killed_ = text_.substr(begin, end - begin);
  erase(begin, end);
}

}  // namespace minnow::cli
