#pragma once
/// @file
/// Draws random numbers from a counter instead of a state: the value of an element depends on (seed, stream, step,
/// element) alone, so it is free of order, of threads and of what was drawn before, and a run resumes exactly.
///
/// Layout of the 128-bit counter and 64-bit key of Philox 4x32-10, with block = element / 4:
///   counter[0] = block[31:0], counter[1] = block[47:32] | step[47:32] << 16, counter[2] = step[31:0],
///   counter[3] = stream, key = seed. Distinct (stream, step, block) with step, block < 2^48 never share a counter.
/// Source: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace minnow {

/// Names a family of random numbers. `stream` says what they are for (one number per use: initialisation, a dropout
/// site, sampling, ...), `step` when, and the element index passed along says where (in the global batch).
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint32_t stream = 0;
  std::uint64_t step = 0;  ///< below 2^48
};

/// One block: four independent 32-bit words.
using PhiloxBlock = std::array<std::uint32_t, 4>;

/// Philox 4x32 with 10 rounds.
/// @param counter the 128-bit counter, word 0 lowest
/// @param key the 64-bit key, word 0 lowest
/// @return four random words
/// Source: Salmon et al. 2011, section 3.3 and table 2; constants as in Random123.
[[nodiscard]] constexpr PhiloxBlock philox4x32(PhiloxBlock counter, std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter[0];
    const std::uint64_t product1 = kMultiplier1 * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

/// @return block number `block` (< 2^48) of the family `key`: the words of elements 4 * block .. 4 * block + 3.
[[nodiscard]] constexpr PhiloxBlock random_block(const RandomKey& key, std::uint64_t block) {
  const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  return philox4x32({low(block), low((block >> 32) & 0xFFFF) | low((key.step >> 32) << 16), low(key.step), key.stream},
                    {low(key.seed), low(key.seed >> 32)});
}

/// @return 32 uniform random bits of one element. Four neighbouring elements share one block.
[[nodiscard]] constexpr std::uint32_t random_bits(const RandomKey& key, std::uint64_t element) {
  return random_block(key, element / 4)[element % 4];
}

/// Writes the bits of `count` consecutive elements: out[i] = random_bits(key, first + i), several blocks at once.
/// @param first index of the first element, any alignment
/// @param out room for `count` words
void random_bits_fill(const RandomKey& key, std::uint64_t first, std::size_t count, std::uint32_t* out);

/// @return a float in [0, 1): the upper 24 bits of the element's word, times 2^-24.
[[nodiscard]] constexpr float random_uniform(const RandomKey& key, std::uint64_t element) {
  return static_cast<float>(random_bits(key, element) >> 8) * 0x1p-24F;
}

/// The one rule of dropout everywhere: an element is dropped when random_bits(key, element) < drop_threshold(p).
/// @param probability p in [0, 1]
/// @return p * 2^32, rounded to the nearest integer: p = 0 drops nothing, p = 1 drops everything
[[nodiscard]] constexpr std::uint64_t drop_threshold(double probability) {
  return static_cast<std::uint64_t>(probability * 0x1p32 + 0.5);
}

/// Draws from the standard normal distribution by Box-Muller, in double: with the words w0, w1 of the element's pair
/// (elements 2i and 2i + 1 of a block share a pair), r = sqrt(-2 ln((w0 + 1) / 2^32)), a = 2 pi w1 / 2^32, the even
/// element is r cos a and the odd one r sin a. |value| <= sqrt(2 ln 2^32) = 6.66.
/// Source: Box, Muller, "A Note on the Generation of Random Normal Deviates", 1958.
[[nodiscard]] inline double random_normal(const RandomKey& key, std::uint64_t element) {
  const PhiloxBlock words = random_block(key, element / 4);
  const std::size_t pair = element % 4 / 2 * 2;
  const double radius = std::sqrt(-2.0 * std::log((words[pair] + 1.0) * 0x1p-32));
  const double angle = 2.0 * std::numbers::pi * (words[pair + 1] * 0x1p-32);
  return radius * (element % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

/// Draws an integer in [0, bound), every value equally likely (no modulo bias). Takes block `element` (not element / 4)
/// of the family, two 64-bit words a block; the next block of a rejected draw comes from the key seed + attempt *
/// 0x9E3779B97F4A7C15. Use a stream of its own for such draws.
/// @param bound at least 1; 0 gives 0
/// Source: Lemire, "Fast Random Integer Generation in an Interval", 2019.
[[nodiscard]] inline std::uint64_t random_below(const RandomKey& key, std::uint64_t element, std::uint64_t bound) {
  if (bound == 0) return 0;
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t threshold = (0 - bound) % bound;  // 2^64 mod bound: so many low values are one too many
  RandomKey attempt = key;
  for (;;) {
    const PhiloxBlock words = random_block(attempt, element);
    for (std::size_t half = 0; half < 4; half += 2) {
      const std::uint64_t draw = words[half] | static_cast<std::uint64_t>(words[half + 1]) << 32;
      const Wide product = static_cast<Wide>(draw) * bound;
      if (static_cast<std::uint64_t>(product) >= threshold) return static_cast<std::uint64_t>(product >> 64);
    }
    attempt.seed += 0x9E3779B97F4A7C15;
  }
}

}  // namespace minnow
