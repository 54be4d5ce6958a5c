// Takes any bytes as a shard of a packed data set: as they are, and with both checksums made right, so that what lies
// behind them is reached. What is accepted describes exactly the bytes that are there.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include "minnow/base/error.hpp"
#include "minnow/base/fast_hash.hpp"
#include "minnow/data/shard.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void read(std::span<const std::byte> bytes) {
  minnow::ShardInfo info;
  try {
    info = minnow::parse_shard(bytes, "fuzz.tokens");
    minnow::check_shard_content(bytes, info, "fuzz.tokens");
  } catch (const minnow::DataError&) {  // the answer to a bad file
    return;
  }
  require(info.index_offset() + 8 * static_cast<std::uint64_t>(info.documents) == bytes.size());
  require(minnow::kShardHeaderBytes + static_cast<std::uint64_t>(info.tokens) * static_cast<unsigned>(info.width) <=
          info.index_offset());
  for (std::int64_t i = 0; i < info.documents; ++i) {
    const std::int64_t start = minnow::document_start(bytes, info, i);
    require(start >= 0 && start < info.tokens);
    require(i == 0 || start > minnow::document_start(bytes, info, i - 1));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  read(bytes);
  if (size < minnow::kShardHeaderBytes) return 0;
  std::string fixed(reinterpret_cast<const char*>(data), size);
  const auto span = std::as_bytes(std::span(fixed));
  const std::uint64_t content = minnow::fast_hash(span.subspan(minnow::kShardHeaderBytes));
  std::memcpy(fixed.data() + 112, &content, sizeof content);
  const std::uint64_t header = minnow::fast_hash(span.first(120));
  std::memcpy(fixed.data() + 120, &header, sizeof header);
  read(span);
  return 0;
}
