#pragma once
/// @file
/// Takes one text out of each line of a JSON Lines file.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "data/byte_stream.hpp"

namespace minnow {

inline constexpr std::size_t kMaxJsonLine = 64U << 20;  ///< bytes of one line
inline constexpr int kMaxJsonDepth = 64;                ///< objects and lists inside one another

/// @return the text of the member `field` of the object that `line` holds; members inside of other members are not
/// looked at. `where` (a file and line) is for messages.
/// Throws: DataError when the line is no JSON object, is deeper than kMaxJsonDepth, has no such member or has it twice,
/// or when it is no text.
[[nodiscard]] std::string text_of_json_line(std::string_view line, std::string_view field, const std::string& where);

/// Reads the texts of one file, one a line. Blank lines are passed over, as is a byte order mark at the start.
class JsonlReader {
 public:
  /// @param name  for messages.
  JsonlReader(std::unique_ptr<ByteStream> stream, std::string name, std::string field);

  /// Puts the next text into `text`. @return false at the end.
  /// Throws: DataError naming file and line, as text_of_json_line and for lines above kMaxJsonLine; IoError.
  bool next(std::string& text);

  /// @return the number of the line that was read last, from 1.
  [[nodiscard]] std::int64_t line() const noexcept { return line_; }
  [[nodiscard]] std::uint64_t consumed() const { return stream_->consumed(); }

 private:
  bool next_line(std::string_view& line);

  std::unique_ptr<ByteStream> stream_;
  std::string name_, field_;
  std::string buffer_;
  std::size_t position_ = 0;  // in buffer_
  std::int64_t line_ = 0;
  bool ended_ = false;
};

}  // namespace minnow
