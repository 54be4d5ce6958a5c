#include "data/leak_finder.hpp"

namespace minnow {
namespace {

constexpr std::size_t kMostStretches = std::size_t{1} << 21U;  // 96 MiB of table; 2 MiB of text without sampling

}  // namespace

LeakFinder::LeakFinder() : sample_(kMostStretches) {}

void LeakFinder::learn(std::string_view text, std::int64_t place) {
  const auto wanted = [&](std::uint64_t key) { return sample_.is_sampled(key); };
  roll_.roll(text, place, wanted, [&](std::uint64_t key, std::string_view, std::int64_t at) {
    if (sample_.find(key) == nullptr) sample_.add(key, {at, false});
  });
}

void LeakFinder::search(std::string_view text, std::int64_t place) {
  const auto wanted = [&](std::uint64_t key) { return sample_.is_sampled(key) && sample_.may_hold(key); };
  roll_.roll(text, place, wanted, [&](std::uint64_t key, std::string_view stretch, std::int64_t at) {
    Stretch* const known = sample_.find(key);
    if (known == nullptr || known->found || !StretchRoll::says_something(stretch)) return;
    known->found = true;
    if (found_++ == 0) first_ = {known->place, at, std::string(stretch)};
  });
}

}  // namespace minnow
