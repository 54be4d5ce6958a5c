#pragma once
/// @file
/// The rules for the bytes of a text file: byte order mark, line ends, where a character begins.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace minnow {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Makes CR LF of `text` LF. @return whether there was one.
bool drop_crlf(std::string& text);

/// @return the largest position <= `position` at which a character (or an ill-formed byte) begins.
[[nodiscard]] std::size_t character_start(std::string_view text, std::size_t position);

/// Drops the byte order mark of a text that comes in chunks, and the CR of each CR LF.
class TextCleaner {
 public:
  /// Appends what is known of the text now to `text`. @param last  no further chunk follows.
  void add(std::string_view chunk, bool last, std::string& text);
  /// @return CR LF found so far.
  [[nodiscard]] std::int64_t crlf() const noexcept { return crlf_; }

 private:
  std::string held_;  // the start of the file while it may be a mark, or a CR that an LF may follow
  std::int64_t crlf_ = 0;
  bool at_start_ = true;
};

}  // namespace minnow
