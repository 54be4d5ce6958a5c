#include "data/leak_finder.hpp"

#include <bitset>

#include "minnow/data/check.hpp"

namespace minnow {
namespace {

constexpr std::size_t kMostStretches = std::size_t{1} << 21U;  // 96 MiB of table; 2 MiB of text without sampling
constexpr std::size_t kFewestBytes = 12;
constexpr std::uint64_t kRollBase = 0x9E3779B97F4A7C15ULL;

std::uint64_t power_of_base(std::size_t exponent) {
  std::uint64_t power = 1;
  for (std::size_t i = 0; i < exponent; ++i) power *= kRollBase;
  return power;
}

/// The last steps of MurmurHash3: all bits depend on all bits. Never 0.
std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 33U;
  x *= 0xFF51AFD7ED558CCDULL;
  x ^= x >> 33U;
  x *= 0xC4CEB9FE1A85EC53ULL;
  x ^= x >> 33U;
  return x == 0 ? std::uint64_t{1} << 63U : x;
}

bool says_something(std::string_view stretch) {
  std::bitset<256> bytes;
  for (const char c : stretch) bytes.set(static_cast<unsigned char>(c));
  return bytes.count() >= kFewestBytes;
}

}  // namespace

LeakFinder::LeakFinder() : sample_(kMostStretches) {}

/// Calls `take(hash, stretch, place)` for each stretch that ends in `text`. The hash is a polynomial in kRollBase.
template <class Take>
void LeakFinder::roll(std::string_view text, std::int64_t place, const Take& take) {
  static const std::uint64_t leaving = power_of_base(kLeakBytes);
  place -= static_cast<std::int64_t>(carried_.size());
  carried_ += text;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < carried_.size(); ++i) {
    hash = hash * kRollBase + static_cast<unsigned char>(carried_[i]) + 1;
    if (i >= kLeakBytes) hash -= leaving * (static_cast<unsigned char>(carried_[i - kLeakBytes]) + 1ULL);
    if (i + 1 < kLeakBytes) continue;
    const std::size_t begin = i + 1 - kLeakBytes;
    const std::uint64_t key = mixed(hash);
    if (sample_.is_sampled(key))
      take(key, std::string_view(carried_).substr(begin, kLeakBytes), place + static_cast<std::int64_t>(begin));
  }
  if (carried_.size() >= kLeakBytes) carried_.erase(0, carried_.size() - (kLeakBytes - 1));
}

void LeakFinder::learn(std::string_view text, std::int64_t place) {
  roll(text, place, [&](std::uint64_t key, std::string_view, std::int64_t at) {
    if (sample_.find(key) == nullptr) sample_.add(key, {at, false});
  });
}

void LeakFinder::search(std::string_view text, std::int64_t place) {
  roll(text, place, [&](std::uint64_t key, std::string_view stretch, std::int64_t at) {
    Stretch* const known = sample_.find(key);
    if (known == nullptr || known->found || !says_something(stretch)) return;
    known->found = true;
    if (found_++ == 0) first_ = {known->place, at, std::string(stretch)};
  });
}

}  // namespace minnow
