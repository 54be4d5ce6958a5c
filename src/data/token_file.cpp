#include "minnow/data/token_file.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "minnow/base/error.hpp"

namespace minnow {
namespace {

constexpr std::int32_t kVersion16 = 1;
constexpr std::int32_t kVersion32 = 7;
// Other files of llm.c that somebody may pass by mistake.
constexpr std::int32_t kLlmcEvalMagic = 20240522;
constexpr std::int32_t kLlmcModelMagic = 20240326;
constexpr std::int32_t kLlmcStateMagic = 20240527;
constexpr std::int32_t kLlmcTokenizerMagic = 20240328;

[[noreturn]] void fail(std::string_view name, const std::string& what) {
  throw DataError(fmt::format("[data] {}: {}", name, what));
}

std::int32_t header_word(std::span<const std::byte> bytes, std::size_t index) {
  std::int32_t word = 0;
  if (bytes.size() >= (index + 1) * sizeof word) std::memcpy(&word, bytes.data() + index * sizeof word, sizeof word);
  return word;
}

std::int32_t swapped(std::int32_t word) {
  return static_cast<std::int32_t>(__builtin_bswap32(static_cast<std::uint32_t>(word)));
}

bool is_llmc_magic(std::int32_t word) { return word == kLlmcMagic16 || word == kLlmcMagic32; }

[[noreturn]] void fail_magic(std::string_view name, std::int32_t magic) {
  std::string what =
      fmt::format("an llm.c token file must begin with {} or {}; got {}.", kLlmcMagic16, kLlmcMagic32, magic);
  if (is_llmc_magic(swapped(magic))) what += " Hint: the file was written in big-endian order; write it little-endian.";
  if (magic == kLlmcEvalMagic) what += " Hint: that is an evaluation file of llm.c, not a token stream.";
  if (magic == kLlmcModelMagic || magic == kLlmcStateMagic) what += " Hint: that is a model or state file of llm.c.";
  if (magic == kLlmcTokenizerMagic) what += " Hint: that is a tokenizer file of llm.c.";
  fail(name, what);
}

TokenFileInfo parse_llmc(std::span<const std::byte> bytes, std::string_view name) {
  const std::int32_t magic = header_word(bytes, 0);
  if (bytes.size() < kLlmcHeaderBytes) {
    fail(name, fmt::format("an llm.c token file must have a header of {} bytes; the file has {}.", kLlmcHeaderBytes,
                           bytes.size()));
  }
  if (!is_llmc_magic(magic)) fail_magic(name, magic);
  const bool wide = magic == kLlmcMagic32;
  const std::int32_t version = wide ? kVersion32 : kVersion16;
  if (header_word(bytes, 1) != version) {
    fail(name, fmt::format("an llm.c token file with magic {} must have version {}; got {}.", magic, version,
                           header_word(bytes, 1)));
  }
  TokenFileInfo info{wide ? TokenLayout::kLlmc32 : TokenLayout::kLlmc16, header_word(bytes, 2), kLlmcHeaderBytes,
                     wide ? 4 : 2};
  if (info.count < 0) fail(name, fmt::format("the token count must not be negative; the header says {}.", info.count));
  // Both sides are below 2^34, so nothing here can overflow.
  const std::uint64_t wanted =
      kLlmcHeaderBytes + static_cast<std::uint64_t>(info.count) * static_cast<unsigned>(info.width);
  if (wanted != bytes.size()) {
    fail(name,
         fmt::format("the header says {} tokens of {} bytes, which makes a file of {} bytes; it has {}. Hint: the file "
                     "was cut off or something was added to it.",
                     info.count, info.width, wanted, bytes.size()));
  }
  return info;
}

TokenFileInfo parse_raw(std::span<const std::byte> bytes, std::string_view name) {
  const bool wide = name.ends_with(".u32.bin");
  const std::size_t width = wide ? 4 : 2;
  if (bytes.size() % width != 0) {
    fail(name,
         fmt::format("a file of raw {}-bit token ids must have a size that is a multiple of {}; it has {} bytes. Hint: "
                     "the file was cut off, or is no token file.",
                     8 * width, width, bytes.size()));
  }
  return {wide ? TokenLayout::kRaw32 : TokenLayout::kRaw16, static_cast<std::int64_t>(bytes.size() / width), 0,
          static_cast<int>(width)};
}

bool is_wide(TokenLayout layout) { return layout == TokenLayout::kRaw32 || layout == TokenLayout::kLlmc32; }

}  // namespace

TokenFileInfo parse_token_file(std::span<const std::byte> bytes, TokenFormat format, std::string_view name) {
  if (bytes.empty()) fail(name, "a token file must hold tokens; it is empty.");
  const std::int32_t magic = header_word(bytes, 0);
  const bool llmc = format == TokenFormat::kLlmc || (format == TokenFormat::kAuto && is_llmc_magic(magic));
  if (llmc) return parse_llmc(bytes, name);
  if (format == TokenFormat::kAuto && bytes.size() >= kLlmcHeaderBytes && is_llmc_magic(swapped(magic))) {
    fail_magic(name, magic);
  }
  return parse_raw(bytes, name);
}

TokenStore open_token_file(const std::filesystem::path& path, TokenFormat format) {
  auto file = std::make_shared<const MappedFile>(MappedFile::open(path, "data"));
  const TokenFileInfo info = parse_token_file(file->bytes(), format, path.string());
  return TokenStore::from_files({{std::move(file), info.byte_offset, info.count, info.width}});
}

TokenLayout layout_for(TokenFormat format, std::int64_t vocab_size) {
  const bool wide = token_width(vocab_size) == 4;
  if (format == TokenFormat::kLlmc) return wide ? TokenLayout::kLlmc32 : TokenLayout::kLlmc16;
  return wide ? TokenLayout::kRaw32 : TokenLayout::kRaw16;
}

std::string token_file_header(TokenLayout layout, std::int64_t count) {
  if (layout == TokenLayout::kRaw16 || layout == TokenLayout::kRaw32) return {};
  if (count < 0 || count > std::numeric_limits<std::int32_t>::max()) {
    throw DataError(
        fmt::format("[data] an llm.c token file must hold fewer than 2^31 tokens; got {}. Hint: write several "
                    "files, or the nanoGPT form.",
                    count));
  }
  const bool wide = is_wide(layout);
  const std::int32_t words[3] = {wide ? kLlmcMagic32 : kLlmcMagic16, wide ? kVersion32 : kVersion16,
                                 static_cast<std::int32_t>(count)};
  std::string header(kLlmcHeaderBytes, '\0');
  std::memcpy(header.data(), words, sizeof words);
  return header;
}

void append_token_bytes(TokenLayout layout, std::span<const std::int32_t> ids, std::string& bytes) {
  const std::size_t width = is_wide(layout) ? 4 : 2;
  const std::int64_t limit = width == 2 ? 65536 : std::int64_t{1} << 31;
  const std::size_t start = bytes.size();
  bytes.resize(start + ids.size() * width);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= limit) {
      throw DataError(
          fmt::format("[data] a token id must be in 0 .. {} to be stored in {} bytes; got {} at position {}.",
                      limit - 1, width, ids[i], i));
    }
    // Little-endian: the low bytes come first in memory.
    std::memcpy(bytes.data() + start + i * width, &ids[i], width);
  }
}

std::string token_file_bytes(TokenLayout layout, std::span<const std::int32_t> ids) {
  std::string bytes = token_file_header(layout, static_cast<std::int64_t>(ids.size()));
  append_token_bytes(layout, ids, bytes);
  return bytes;
}

}  // namespace minnow
