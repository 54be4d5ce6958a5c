#include "data/text_bytes.hpp"

#include <algorithm>

namespace minnow {
namespace {

/// Appends `text` with CR LF as LF. @return how many there were.
std::int64_t append_without_crlf(std::string_view text, std::string& result) {
  std::int64_t count = 0;
  std::size_t begin = 0;
  for (std::size_t found = text.find("\r\n"); found != std::string_view::npos; found = text.find("\r\n", begin)) {
    result.append(text, begin, found - begin);
    begin = found + 1;  // the LF starts the next stretch
    ++count;
  }
  result.append(text, begin);
  return count;
}

}  // namespace

bool drop_crlf(std::string& text) {
  if (text.find("\r\n") == std::string::npos) return false;
  std::string clean;
  clean.reserve(text.size());
  append_without_crlf(text, clean);
  text = std::move(clean);
  return true;
}

std::size_t character_start(std::string_view text, std::size_t position) {
  // At most three bytes of the form 10xxxxxx belong to the byte before them; behind any other byte a new step begins.
  for (std::size_t back = 0; back <= 3 && back <= position; ++back) {
    if ((static_cast<unsigned char>(text[position - back]) & 0xC0U) != 0x80U) return position - back;
  }
  return position;
}

void TextCleaner::add(std::string_view chunk, bool last, std::string& text) {
  std::string joined;
  if (!held_.empty()) {
    joined = std::move(held_);
    held_.clear();
    joined += chunk;
    chunk = joined;
  }
  if (at_start_) {
    if (!last && chunk.size() < kByteOrderMark.size()) {
      held_ = chunk;
      return;
    }
    if (chunk.starts_with(kByteOrderMark)) chunk.remove_prefix(kByteOrderMark.size());
    at_start_ = false;
  }
  if (!last && chunk.ends_with('\r')) {
    held_.assign(1, '\r');
    chunk.remove_suffix(1);
  }
  crlf_ += append_without_crlf(chunk, text);
}

}  // namespace minnow
