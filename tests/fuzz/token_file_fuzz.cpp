// Feeds any bytes to the reader of token files, in every format it may be asked for. What is accepted must describe
// exactly the bytes that are there, and writing the same tokens must give the same file.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "minnow/base/error.hpp"
#include "minnow/data/token_file.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void read(std::span<const std::byte> bytes, minnow::TokenFormat format, const char* name) {
  minnow::TokenFileInfo info;
  try {
    info = minnow::parse_token_file(bytes, format, name);
  } catch (const minnow::DataError&) {  // the answer to a bad file
    return;
  }
  const auto width = static_cast<std::size_t>(info.width);
  require(info.byte_offset + static_cast<std::size_t>(info.count) * width == bytes.size());
  std::vector<std::int32_t> ids;
  for (std::size_t at = info.byte_offset; at < bytes.size(); at += width) {
    std::int32_t id = 0;
    std::memcpy(&id, bytes.data() + at, width);
    ids.push_back(id);
  }
  std::string written = minnow::token_file_header(info.layout, info.count);
  try {
    minnow::append_token_bytes(info.layout, ids, written);
  } catch (const minnow::DataError&) {  // ids of 2^31 and more can be read, as ids outside any vocabulary, not written
    return;
  }
  require(written.size() == bytes.size());
  require(std::memcmp(written.data() + info.byte_offset, bytes.data() + info.byte_offset,
                      bytes.size() - info.byte_offset) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  using minnow::TokenFormat;
  for (const TokenFormat format : {TokenFormat::kAuto, TokenFormat::kNanogpt, TokenFormat::kLlmc}) {
    read(bytes, format, "fuzz.bin");
    read(bytes, format, "fuzz.u32.bin");
  }
  return 0;
}
