// Takes any bytes as a compressed text. What comes out is the same however much is asked for at once, and bounded by
// the limits of the reader.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "data/byte_stream.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/fast_hash.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

struct Spelled {
  std::uint64_t bytes = 0;
  std::uint32_t sum = 1;  // Adler's, without its modulo: depends on the order
  bool failed = false;

  bool operator==(const Spelled&) const = default;
};

Spelled read(std::span<const std::byte> bytes, std::size_t most) {
  const auto stream = minnow::decompressed(minnow::stream_of(bytes), "fuzz.zst");
  std::string chunk(most, '\0');
  Spelled spelled;
  try {
    for (std::size_t got = 1; got > 0;) {
      got = stream->read(chunk);
      for (std::size_t i = 0; i < got; ++i) spelled.sum = spelled.sum * 31 + static_cast<unsigned char>(chunk[i]);
      spelled.bytes += got;
    }
  } catch (const minnow::DataError&) {  // the answer to damage
    spelled.failed = true;
  }
  return spelled;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const Spelled whole = read(bytes, 1U << 20);
  require(whole.bytes <= (std::uint64_t{17} << 20U) + 2000 * size + (std::uint64_t{1} << 20U));
  constexpr std::uint64_t kFewBytes = 1U << 20;
  if (whole.failed || whole.bytes > kFewBytes) return 0;  // damage may be seen earlier or later
  require(read(bytes, 61) == whole);
  return 0;
}
