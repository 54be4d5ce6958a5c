#include "minnow/data/shard.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "minnow/base/error.hpp"
#include "minnow/base/fast_hash.hpp"
#include "minnow/data/token_store.hpp"

namespace minnow {
namespace {

static_assert(std::endian::native == std::endian::little, "shards are little-endian and are mapped as they are");

constexpr std::string_view kMagic = "MINNOWTK";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kLastFlag = 1;
constexpr unsigned kKindShift = 8;
constexpr std::uint64_t kKindMask = std::uint64_t{3} << kKindShift;
constexpr unsigned kUnknownShift = 16;
constexpr std::uint64_t kMostTokens = std::uint64_t{1} << 40U;  // keeps all sizes far from overflow
constexpr std::uint64_t kMostVocabulary = std::uint64_t{1} << 31U;
constexpr std::size_t kHashedHeader = 120;

/// The header as it lies in the file.
struct RawShardHeader {
  std::array<char, 8> magic;
  std::uint32_t version, width;
  std::uint64_t vocab_size, tokens, documents, text_bytes, number, flags, pieces, text_hash;
  std::array<std::uint8_t, 32> tokenizer;
  std::uint64_t content_hash, header_hash;
};
static_assert(sizeof(RawShardHeader) == kShardHeaderBytes && std::has_unique_object_representations_v<RawShardHeader>);

[[noreturn]] void fail_shard(std::string_view name, const std::string& what) {
  throw DataError(fmt::format("[data] {}: {}", name, what));
}

std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

void check_fields(const RawShardHeader& raw, std::uint64_t size, std::string_view name) {
  if (raw.width != 1 && raw.width != 2 && raw.width != 4)
    fail_shard(name, fmt::format("a shard must have tokens of 1, 2 or 4 bytes; got {}.", raw.width));
  if (raw.vocab_size == 0 || raw.vocab_size > kMostVocabulary ||
      token_width(static_cast<std::int64_t>(raw.vocab_size)) != static_cast<int>(raw.width)) {
    fail_shard(name, fmt::format("a shard must have the width that its vocabulary needs; got {} bytes for {} tokens.",
                                 raw.width, raw.vocab_size));
  }
  if (raw.tokens > kMostTokens || raw.documents > raw.tokens || raw.text_bytes >> 62U != 0 || raw.pieces >> 62U != 0 ||
      raw.number >> 32U != 0) {
    fail_shard(name, "a shard must have sizes that can be; got absurd ones.");
  }
  const std::uint64_t known = kLastFlag | kKindMask | ~std::uint64_t{0} << kUnknownShift;
  if ((raw.flags & ~known) != 0 || (raw.flags & kKindMask) == kKindMask)
    fail_shard(name, fmt::format("a shard must have flags that this version knows; got {:#x}.", raw.flags));
  if ((raw.flags & kKindMask) == 0 && raw.documents > 0)
    fail_shard(name, "a shard of a stream must mark no documents; it does.");
  const std::uint64_t wanted = kShardHeaderBytes + padded(raw.tokens * raw.width) + raw.documents * 8;
  if (wanted != size) {
    fail_shard(name, fmt::format("the header says {} tokens and {} documents, which makes a file of {} bytes; it has "
                                 "{}. Hint: the file was cut off or something was added to it.",
                                 raw.tokens, raw.documents, wanted, size));
  }
}

}  // namespace

std::uint64_t ShardInfo::index_offset() const {
  return kShardHeaderBytes + padded(static_cast<std::uint64_t>(tokens) * static_cast<unsigned>(width));
}

std::int64_t document_start(std::span<const std::byte> bytes, const ShardInfo& info, std::int64_t index) {
  std::int64_t start = 0;
  std::memcpy(&start, bytes.data() + info.index_offset() + static_cast<std::uint64_t>(index) * 8, sizeof start);
  return start;
}

ShardInfo parse_shard(std::span<const std::byte> bytes, std::string_view name) {
  RawShardHeader raw{};
  if (bytes.size() < sizeof raw)
    fail_shard(name, fmt::format("a shard must have a header of {} bytes; the file has {}.", sizeof raw, bytes.size()));
  std::memcpy(&raw, bytes.data(), sizeof raw);
  if (std::string_view(raw.magic.data(), raw.magic.size()) != kMagic)
    fail_shard(name, "a shard must begin with MINNOWTK; it does not. Hint: it is no shard of `minnow data pack`.");
  if (raw.version != kVersion)
    fail_shard(name, fmt::format("a shard must be of version {}; got {}.", kVersion, raw.version));
  if (fast_hash(bytes.first(kHashedHeader)) != raw.header_hash)
    fail_shard(name, "the header of a shard must be as it was written; its checksum says otherwise.");
  check_fields(raw, bytes.size(), name);
  ShardInfo info;
  info.width = static_cast<int>(raw.width);
  info.vocab_size = static_cast<std::int64_t>(raw.vocab_size);
  info.tokens = static_cast<std::int64_t>(raw.tokens);
  info.documents = static_cast<std::int64_t>(raw.documents);
  info.text_bytes = static_cast<std::int64_t>(raw.text_bytes);
  info.number = static_cast<std::int64_t>(raw.number);
  info.last = (raw.flags & kLastFlag) != 0;
  info.kind = static_cast<Documents>((raw.flags & kKindMask) >> kKindShift);
  info.unknown = static_cast<std::int64_t>(raw.flags >> kUnknownShift);
  info.pieces = static_cast<std::int64_t>(raw.pieces);
  info.text_hash = raw.text_hash;
  info.tokenizer = raw.tokenizer;
  info.content_hash = raw.content_hash;
  std::int64_t before = -1;
  for (std::int64_t i = 0; i < info.documents; ++i) {
    const std::int64_t start = document_start(bytes, info, i);
    if (start <= before || start >= info.tokens)
      fail_shard(name,
                 fmt::format("documents must begin one after the other within the shard; number {} does not.", i));
    before = start;
  }
  return info;
}

void check_shard_content(std::span<const std::byte> bytes, const ShardInfo& info, std::string_view name) {
  if (fast_hash(bytes.subspan(kShardHeaderBytes)) == info.content_hash) return;
  fail_shard(name,
             "the content of a shard must be as it was written; its checksum says otherwise. Hint: the file was "
             "damaged or edited; pack the text again.");
}

ShardBuilder::ShardBuilder(std::int64_t vocab_size) : vocab_size_(vocab_size), width_(token_width(vocab_size)) {}

void ShardBuilder::append(std::span<const std::int32_t> ids) {
  const auto width = static_cast<std::size_t>(width_);
  const std::size_t before = bytes_.size();
  bytes_.resize(before + ids.size() * width);
  char* to = bytes_.data() + before;
  // Little-endian: the low bytes come first in memory.
  for (const std::int32_t id : ids) {
    std::memcpy(to, &id, width);
    to += width;
  }
  tokens_ += static_cast<std::int64_t>(ids.size());
}

std::vector<std::string_view> ShardBuilder::finish(ShardInfo info) {
  bytes_.resize(padded(bytes_.size()), '\0');
  const std::string_view index(reinterpret_cast<const char*>(starts_.data()), starts_.size() * sizeof(std::uint64_t));
  RawShardHeader raw{};
  std::memcpy(raw.magic.data(), kMagic.data(), kMagic.size());
  raw.version = kVersion;
  raw.width = static_cast<std::uint32_t>(width_);
  raw.vocab_size = static_cast<std::uint64_t>(vocab_size_);
  raw.tokens = static_cast<std::uint64_t>(tokens_);
  raw.documents = starts_.size();
  raw.text_bytes = static_cast<std::uint64_t>(info.text_bytes);
  raw.number = static_cast<std::uint64_t>(info.number);
  raw.flags = (info.last ? kLastFlag : 0) | static_cast<std::uint64_t>(info.kind) << kKindShift |
              static_cast<std::uint64_t>(info.unknown) << kUnknownShift;
  raw.pieces = static_cast<std::uint64_t>(info.pieces);
  raw.text_hash = info.text_hash;
  raw.tokenizer = info.tokenizer;
  // One hash over both parts: the index lies behind the tokens.
  bytes_ += index;
  raw.content_hash = fast_hash(std::as_bytes(std::span(bytes_)));
  header_.assign(reinterpret_cast<const char*>(&raw), sizeof raw);
  raw.header_hash = fast_hash(std::as_bytes(std::span(header_)).first(kHashedHeader));
  header_.assign(reinterpret_cast<const char*>(&raw), sizeof raw);
  return {header_, bytes_};
}

void ShardBuilder::clear() {
  bytes_.clear();
  starts_.clear();
  tokens_ = 0;
}

std::string shard_name(std::int64_t number) { return fmt::format("shard_{:05}.tokens", number); }

bool is_packed_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path / shard_name(0), ignored);
}

}  // namespace minnow
