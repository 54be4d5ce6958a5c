#include "minnow/base/philox.hpp"

#include <algorithm>

namespace minnow {
namespace {

constexpr std::size_t kLanes = 16;  // blocks computed side by side; a whole number of vectors on every processor

/// The words of kLanes consecutive blocks from `block` on, in element order. Same rounds as philox4x32, written over
/// arrays so that the compiler makes vector code of them.
void fill_lanes(const RandomKey& key, std::uint64_t block, std::uint32_t* out) {
  std::uint32_t c0[kLanes], c1[kLanes], c2[kLanes], c3[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t index = block + lane;
    c0[lane] = static_cast<std::uint32_t>(index);
    c1[lane] = static_cast<std::uint32_t>((index >> 32) & 0xFFFF) | static_cast<std::uint32_t>((key.step >> 32) << 16);
    c2[lane] = static_cast<std::uint32_t>(key.step);
    c3[lane] = key.stream;
  }
  auto key0 = static_cast<std::uint32_t>(key.seed), key1 = static_cast<std::uint32_t>(key.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t product0 = 0xD2511F53ULL * c0[lane];
      const std::uint64_t product1 = 0xCD9E8D57ULL * c2[lane];
      c0[lane] = static_cast<std::uint32_t>(product1 >> 32) ^ c1[lane] ^ key0;
      c1[lane] = static_cast<std::uint32_t>(product1);
      c2[lane] = static_cast<std::uint32_t>(product0 >> 32) ^ c3[lane] ^ key1;
      c3[lane] = static_cast<std::uint32_t>(product0);
    }
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    out[4 * lane] = c0[lane];
    out[4 * lane + 1] = c1[lane];
    out[4 * lane + 2] = c2[lane];
    out[4 * lane + 3] = c3[lane];
  }
}

}  // namespace

void random_bits_fill(const RandomKey& key, std::uint64_t first, std::size_t count, std::uint32_t* out) {
  std::size_t done = 0;
  while (done < count && (first + done) % 4 != 0) {
    out[done] = random_bits(key, first + done);
    ++done;
  }
  for (; count - done >= 4 * kLanes; done += 4 * kLanes) fill_lanes(key, (first + done) / 4, out + done);
  for (; done < count; done += 4) {
    const PhiloxBlock words = random_block(key, (first + done) / 4);
    std::copy_n(words.begin(), std::min<std::size_t>(4, count - done), out + done);
  }
}

}  // namespace minnow
