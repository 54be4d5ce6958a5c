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

/// Gives places in a file with their lines; they must come in order.
class PlacesInFile {
 public:
  PlacesInFile(std::string name, std::string_view text) : name_(std::move(name)), text_(text) {}

  std::string operator()(std::size_t at) {
    line_ += std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                        text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    counted_ = at;
    return fmt::format("{}:{}: byte {} (0x{:02X})", name_, line_, at, static_cast<unsigned char>(text_[at]));
  }

 private:
  std::string name_;
  std::string_view text_;
  std::int64_t line_ = 1;
  std::size_t counted_ = 0;  // line feeds before are in line_
};

void find_nulls(std::string_view text, PlacesInFile place, std::size_t most_places, EncodingScan& scan) {
  std::size_t at = text.find('\0');
  for (; at != std::string_view::npos && scan.null_places.size() < most_places; at = text.find('\0', at + 1)) {
    scan.null_places.push_back(place(at));
    ++scan.nulls;
  }
  if (at != std::string_view::npos)
    scan.nulls += std::count(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), '\0');
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
  PlacesInFile place(path.string(), text);
  find_nulls(text, place, most_places, scan);
  for (std::size_t at = skip_ascii(text, 0); at < text.size(); at = skip_ascii(text, at)) {
    const Utf8Step step = read_utf8(text, at);
    if (!step.valid && scan.errors++ < static_cast<std::int64_t>(most_places)) scan.places.push_back(place(at));
    at += step.length;
  }
  file.check_unchanged();
  return scan;
}

}  // namespace minnow
