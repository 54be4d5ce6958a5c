#include "minnow/data/packed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "minnow/base/error.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/base/sha256.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_packed(const fs::path& folder, const std::string& what) {
  throw DataError(fmt::format("[data] {}: {}", folder.string(), what));
}

std::string hex_digest(const std::array<std::uint8_t, 32>& digest) {
  std::string text;
  for (const std::uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

/// @return the numbers of the shards that lie in a folder, sorted.
std::vector<std::int64_t> shards_in(const fs::path& folder) {
  std::vector<std::int64_t> numbers;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::int64_t number = 0;
    const std::size_t digits = name.find_first_of("0123456789");
    if (digits == std::string::npos) continue;
    std::from_chars(name.data() + digits, name.data() + name.size(), number);
    if (name == shard_name(number)) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// Shards are numbered without gaps, and none lies behind the last one.
void check_present(const fs::path& folder, const std::vector<std::int64_t>& present,
                   const std::vector<PackedShard>& found) {
  const auto count = static_cast<std::int64_t>(found.size());
  const bool complete = !found.empty() && found.back().info.last;
  if (complete && !present.empty() && present.back() >= count) {
    fail_packed(folder, fmt::format("a packed data set must end with its last shard, {}; {} lies there too. Hint: move "
                                    "it away, it is of another packing",
                                    shard_name(count - 1), shard_name(present.back())));
  }
  if (complete) return;
  if (!present.empty() && present.back() > count) {
    fail_packed(folder, fmt::format("a packed data set must be complete; {} is not there, and {} shards are, up to {}. "
                                    "Hint: bring it back, or pack the texts again",
                                    shard_name(count), present.size(), shard_name(present.back())));
  }
  fail_packed(folder,
              fmt::format("a packed data set must be complete; it has {} shards, and the last one is not there. Hint: "
                          "run the same `minnow data pack` again, it goes on where it stopped.",
                          count));
}

std::vector<PackedShard> map_shards(const fs::path& folder) {
  const std::vector<std::int64_t> present = shards_in(folder);
  std::vector<PackedShard> shards;
  do {
    const fs::path path = folder / shard_name(static_cast<std::int64_t>(shards.size()));
    std::error_code code;
    if (!shards.empty() && !fs::exists(path, code)) check_present(folder, present, shards);
    auto file = std::make_shared<const MappedFile>(MappedFile::open(path, "data"));
    const ShardInfo info = parse_shard(file->bytes(), path.string());
    if (info.number != static_cast<std::int64_t>(shards.size()))
      fail_packed(path, fmt::format("a shard must lie under its own name; it is number {}.", info.number));
    if (!shards.empty()) {
      const ShardInfo& first = shards.front().info;
      if (info.tokenizer != first.tokenizer || info.vocab_size != first.vocab_size || info.kind != first.kind)
        fail_packed(path, "the shards of a data set must be made by one packing; this one is of another.");
    }
    shards.push_back({std::move(file), info});
  } while (!shards.back().info.last);
  check_present(folder, present, shards);
  return shards;
}

}  // namespace

TokenStore PackedData::tokens() const {
  std::vector<TokenStore::Part> parts;
  for (const PackedShard& shard : shards)
    parts.push_back({shard.file, kShardHeaderBytes, shard.info.tokens, shard.info.width});
  return TokenStore::from_files(std::move(parts));
}

std::string PackedData::tokenizer_digest() const { return hex_digest(shards.front().info.tokenizer); }

void PackedData::check() const {
  parallel_chunks(static_cast<Index>(shards.size()), [&](Index i) {
    const PackedShard& shard = shards[static_cast<std::size_t>(i)];
    check_shard_content(shard.file->bytes(), shard.info, shard.file->path().string());
  });
  const TokenStore all = tokens();
  const std::int64_t bad = all.find_outside(tokenizer->vocab_size());
  if (bad == all.size()) return;
  fail_packed(folder, fmt::format("every token id must be in 0 .. {}; got {} at token {}.", tokenizer->vocab_size() - 1,
                                  static_cast<std::uint32_t>(all.at(bad)), bad));
}

PackedData open_packed(const fs::path& folder, DataFingerprint& fingerprint) {
  PackedData data;
  data.folder = folder;
  data.shards = map_shards(folder);
  std::vector<DataFile> files(data.shards.size());
  parallel_chunks(static_cast<Index>(files.size()), [&](Index i) {
    const MappedFile& file = *data.shards[static_cast<std::size_t>(i)].file;
    files[static_cast<std::size_t>(i)] = {file.path().string(), file.size(), sha256_hex(file.bytes())};
  });
  fingerprint.files.insert(fingerprint.files.end(), files.begin(), files.end());
  const MappedFile text = MappedFile::open(folder / "tokenizer.json", "data");
  fingerprint.files.push_back({text.path().string(), text.size(), sha256_hex(text.bytes())});
  if (fingerprint.files.back().sha256 != data.tokenizer_digest())
    fail_packed(text.path(), "the tokenizer must be the one that the shards were made with; it is not.");
  data.tokenizer = Tokenizer::from_json(text.text(), text.path().string());
  if (data.tokenizer->vocab_size() != data.shards.front().info.vocab_size)
    fail_packed(text.path(), "the tokenizer must have the vocabulary that the shards name; it has another.");
  for (const PackedShard& shard : data.shards) {
    data.documents += shard.info.documents;
    data.text_bytes += shard.info.text_bytes;
    data.unknown += shard.info.unknown;
  }
  return data;
}

std::int64_t text_bytes_of(const TokenStore& tokens, const Tokenizer& tokenizer, std::int64_t unknown) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(tokenizer.vocab_size()));
  for (std::size_t id = 0; id < lengths.size(); ++id)
    lengths[id] = static_cast<std::int64_t>(tokenizer.bytes_of(static_cast<std::int32_t>(id)).size());
  const std::int32_t fallback = tokenizer.fallback_id().value_or(-1);
  constexpr Index kChunk = 1 << 18;  // a megabyte of ids
  const auto chunks = static_cast<std::size_t>((tokens.size() + kChunk - 1) / kChunk);
  std::vector<std::int64_t> sums(chunks), fallbacks(chunks);
  parallel_ranges(tokens.size(), kChunk, [&](Index begin, Index end, Index chunk) {
    std::vector<std::int32_t> ids(static_cast<std::size_t>(end - begin));
    tokens.copy(begin, end - begin, ids.data());
    std::int64_t sum = 0;
    for (const std::int32_t id : ids) sum += lengths[static_cast<std::size_t>(id)];
    sums[static_cast<std::size_t>(chunk)] = sum;
    fallbacks[static_cast<std::size_t>(chunk)] = std::count(ids.begin(), ids.end(), fallback);
  });
  const std::int64_t spelled = std::accumulate(sums.begin(), sums.end(), std::int64_t{0});
  if (fallback < 0) return spelled;
  const std::int64_t replaced = std::min(unknown, std::accumulate(fallbacks.begin(), fallbacks.end(), std::int64_t{0}));
  return spelled - replaced * lengths[static_cast<std::size_t>(fallback)];
}

}  // namespace minnow
