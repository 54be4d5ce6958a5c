#include "data/encoding_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "minnow/base/mapped_file.hpp"
#include "minnow/data/text_reader.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

/// @return the first position from `at` on whose byte is not ASCII.
std::size_t skip_ascii(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & kHighBits) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80U) ++at;
  return at;
}

}  // namespace

EncodingScan scan_encoding(const std::filesystem::path& path, std::size_t most_places) {
  EncodingScan scan;
  std::error_code ignored;
  if (is_jsonl_name(path) || path.string().ends_with(".zst") || !std::filesystem::is_regular_file(path, ignored))
    return scan;
  const MappedFile file = MappedFile::open(path, "data");
  const std::string_view text = file.text();
  scan.read = true;
  std::int64_t line = 1;
  std::size_t counted = 0;  // line feeds before are in `line`
  for (std::size_t at = skip_ascii(text, 0); at < text.size(); at = skip_ascii(text, at)) {
    const Utf8Step step = read_utf8(text, at);
    if (!step.valid && scan.errors++ < static_cast<std::int64_t>(most_places)) {
      line += std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                         text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      counted = at;
      scan.places.push_back(
          fmt::format("{}:{}: byte {} (0x{:02X})", path.string(), line, at, static_cast<unsigned char>(text[at])));
    }
    at += step.length;
  }
  file.check_unchanged();
  return scan;
}

}  // namespace minnow
