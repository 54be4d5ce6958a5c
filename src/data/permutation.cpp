#include "minnow/data/permutation.hpp"

#include <bit>

#include "minnow/base/philox.hpp"

namespace minnow {
namespace {

constexpr unsigned kRounds = 8;

}  // namespace

KeyedPermutation::KeyedPermutation(std::uint64_t size, std::uint64_t seed, std::uint32_t stream, std::uint64_t epoch)
    : size_(size), seed_(seed), epoch_(epoch), stream_(stream) {
  const auto bits = static_cast<unsigned>(std::bit_width(size > 1 ? size - 1 : 1));
  half_bits_ = (bits + 1) / 2;
}

std::uint64_t KeyedPermutation::encrypt(std::uint64_t value) const {
  const std::uint64_t mask = (1ULL << half_bits_) - 1;
  std::uint64_t left = value >> half_bits_;
  std::uint64_t right = value & mask;
  for (unsigned round = 0; round < kRounds; ++round) {
    // The round function is one Philox block: counter = (half, round, epoch), key = seed.
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const PhiloxBlock words =
        philox4x32({low(right), round | low(epoch_ >> 32) << 8, low(epoch_), stream_}, {low(seed_), low(seed_ >> 32)});
    const std::uint64_t mixed = left ^ (words[0] & mask);
    left = right;
    right = mixed;
  }
  return left << half_bits_ | right;
}

std::uint64_t KeyedPermutation::operator()(std::uint64_t index) const {
  // Following the cycle of a bijection of a larger set from inside [0, n) comes back into [0, n), at different places
  // for different starts.
  std::uint64_t value = encrypt(index);
  while (value >= size_) value = encrypt(value);
  return value;
}

}  // namespace minnow
