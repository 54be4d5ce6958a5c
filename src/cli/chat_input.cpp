#include "cli/chat_input.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "minnow/base/error.hpp"

namespace minnow::cli {

bool read_plain_line(std::string& line) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
  line.clear();
  int byte = 0;
  while ((byte = std::getc(stdin)) != EOF && byte != '\n') {
    line += static_cast<char>(byte);
    if (line.size() <= kMostBytes) continue;
    throw DataError(fmt::format("[chat] a line may have at most {} bytes; got more", kMostBytes));
  }
  if (std::ferror(stdin) != 0) throw IoError("[chat] stdin must be readable; reading it failed");
  if (byte == EOF && line.empty()) return false;
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

bool goes_on(std::string& line) {
  if (!line.ends_with('\\')) return false;
  line.back() = '\n';
  return true;
}

}  // namespace minnow::cli
