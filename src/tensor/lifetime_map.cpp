#include "tensor/lifetime_map.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace minnow {

void RangeSet::add(ByteRange range) {
  auto at = end_of_.upper_bound(range.begin);
  if (at != end_of_.begin() && std::prev(at)->second >= range.begin) --at;
  while (at != end_of_.end() && at->first <= range.end) {  // swallow what overlaps or touches
    range.begin = std::min(range.begin, at->first);
    range.end = std::max(range.end, at->second);
    at = end_of_.erase(at);
  }
  end_of_.emplace_hint(at, range.begin, range.end);
}

std::size_t RangeSet::lowest_gap(std::size_t from, std::size_t bytes) const {
  auto at = end_of_.upper_bound(from);
  if (at != end_of_.begin() && std::prev(at)->second > from) from = std::prev(at)->second;
  for (; at != end_of_.end() && at->first < from + bytes; ++at) from = at->second;
  return from;
}

LifetimeMap::LifetimeMap(std::size_t moments)
    : leaves_(std::bit_ceil(std::max<std::size_t>(moments, 1))), always_(2 * leaves_), ever_(2 * leaves_) {}

template <class Visit>
void LifetimeMap::for_parts(const Lifetime& life, Visit&& visit) const {
  std::size_t left = life.begin + leaves_;
  std::size_t right = life.end + leaves_;
  for (; left < right; left /= 2, right /= 2) {
    if (left % 2 == 1) visit(left++);
    if (right % 2 == 1) visit(--right);
  }
}

template <class Visit>
void LifetimeMap::for_paths(const Lifetime& life, Visit&& visit) const {
  std::size_t left = (life.begin + leaves_) / 2;
  std::size_t right = (life.end - 1 + leaves_) / 2;
  for (; left > 0; left /= 2, right /= 2) {
    visit(left);
    if (right != left) visit(right);
  }
}

std::size_t LifetimeMap::lowest_gap(const Lifetime& life, std::size_t bytes) const {
  std::vector<const RangeSet*> sets;
  for_parts(life, [&](std::size_t node) { sets.push_back(&ever_[node]); });
  for_paths(life, [&](std::size_t node) { sets.push_back(&always_[node]); });
  std::size_t offset = 0;
  // Ask the sets in turn until all of them agree on one offset.
  for (std::size_t agreed = 0, i = 0; agreed < sets.size(); i = i + 1 == sets.size() ? 0 : i + 1) {
    const std::size_t next = sets[i]->lowest_gap(offset, bytes);
    agreed = next == offset ? agreed + 1 : 1;
    offset = next;
  }
  return offset;
}

void LifetimeMap::add(const Lifetime& life, const ByteRange& range) {
  for_parts(life, [&](std::size_t node) {
    always_[node].add(range);
    ever_[node].add(range);
  });
  for_paths(life, [&](std::size_t node) { ever_[node].add(range); });
}

}  // namespace minnow
