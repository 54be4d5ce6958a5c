#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "io/json_text.hpp"
#include "io/safetensors_sax.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/safetensors.hpp"

namespace minnow {

namespace {

static_assert(std::endian::native == std::endian::little, "tensor bytes are handed over as they stand in the file");

[[noreturn]] void refuse(std::string_view who, const std::string& rule) {
  throw CheckpointError(
      fmt::format("[safetensors] {}; file '{}'. Hint: the file is damaged or not a safetensors file.", rule, who));
}

// The number of times `word` stands in `text`: a close guess of the number of tensors, so that their table grows once.
std::size_t count_word(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) ++count;
  return count;
}

std::string_view header_text(std::span<const std::byte> prefix, std::uint64_t file_bytes, std::string_view who) {
  if (file_bytes < 8 || prefix.size() < 8) {
    refuse(who, fmt::format("a file must begin with 8 bytes that give the header's length; got {} bytes", file_bytes));
  }
  std::uint64_t length = 0;
  std::memcpy(&length, prefix.data(), sizeof(length));
  if (length > kMaxSafetensorsHeader) {
    refuse(who, fmt::format("the header must have at most {} bytes; got {}", kMaxSafetensorsHeader, length));
  }
  if (length > file_bytes - 8 || length > prefix.size() - 8) {
    refuse(who, fmt::format("the header must end inside the file; got {} bytes of header in a file of {} bytes", length,
                            file_bytes));
  }
  const std::string_view text(reinterpret_cast<const char*>(prefix.data()) + 8, static_cast<std::size_t>(length));
  if (text.empty()) refuse(who, "the header must be a JSON object; got nothing");
  // The JSON library would take a NUL as the end of the text and skip a byte order mark.
  if (text.find('\0') != std::string_view::npos) refuse(who, "the header must hold no NUL byte");
  if (text.starts_with("\xEF\xBB\xBF")) refuse(who, "the header must begin with '{', not with a byte order mark");
  return text;
}

// Names are unique: sorts their positions and compares neighbours.
void index_names(SafetensorsHeader& header, std::string_view who) {
  header.by_name.resize(header.tensors.size());
  std::iota(header.by_name.begin(), header.by_name.end(), 0U);
  const auto& tensors = header.tensors;
  std::sort(header.by_name.begin(), header.by_name.end(),
            [&](std::uint32_t a, std::uint32_t b) { return tensors[a].name < tensors[b].name; });
  const auto twice =
      std::adjacent_find(header.by_name.begin(), header.by_name.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return tensors[a].name == tensors[b].name; });
  if (twice == header.by_name.end()) return;
  refuse(who,
         fmt::format("every tensor name must stand once; got the duplicate {}", detail::shown(tensors[*twice].name)));
}

// The tensors cover the data without gap, overlap or rest; then their offsets are counted from the file's start.
void require_cover(SafetensorsHeader& header, std::uint64_t file_bytes, std::string_view who) {
  const std::uint64_t data_bytes = file_bytes - header.data_begin;
  std::uint64_t at = 0;
  for (TensorEntry& entry : header.tensors) {
    if (entry.begin != at) {
      refuse(who, fmt::format("tensors must follow each other without {}; {} begins at {} where {} was due",
                              entry.begin > at ? "a hole" : "overlap", detail::shown(entry.name), entry.begin, at));
    }
    if (entry.end > data_bytes) {
      refuse(who, fmt::format("the data must hold every tensor; {} ends at {} but there are {} bytes",
                              detail::shown(entry.name), entry.end, data_bytes));
    }
    at = entry.end;
    entry.begin += header.data_begin;
    entry.end += header.data_begin;
  }
  if (at != data_bytes) refuse(who, fmt::format("no bytes may follow the last tensor; got {}", data_bytes - at));
}

}  // namespace

const TensorEntry* SafetensorsHeader::find(std::string_view name) const {
  const auto at = std::lower_bound(by_name.begin(), by_name.end(), name,
                                   [&](std::uint32_t a, std::string_view b) { return tensors[a].name < b; });
  return at != by_name.end() && tensors[*at].name == name ? &tensors[*at] : nullptr;
}

SafetensorsHeader parse_safetensors_header(std::span<const std::byte> prefix, std::uint64_t file_bytes,
                                           std::string_view who) {
  const std::string_view text = header_text(prefix, file_bytes, who);
  SafetensorsHeader header;
  header.data_begin = 8 + text.size();
  constexpr std::size_t kShortestEntry = 48;  // bytes of JSON that a tensor takes at least
  header.tensors.reserve(std::min(count_word(text, "data_offsets"), text.size() / kShortestEntry + 1));
  detail::SafetensorsHandler handler(header, who);
  nlohmann::json::sax_parse(text.begin(), text.end(), &handler);
  const auto by_offset = [](const TensorEntry& a, const TensorEntry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  };
  if (!std::is_sorted(header.tensors.begin(), header.tensors.end(), by_offset)) {
    std::sort(header.tensors.begin(), header.tensors.end(), by_offset);
  }
  index_names(header, who);
  require_cover(header, file_bytes, who);
  return header;
}

}  // namespace minnow
