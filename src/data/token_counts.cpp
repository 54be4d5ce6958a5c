#include "data/token_counts.hpp"

#include <algorithm>
#include <cmath>

namespace minnow {
namespace {

constexpr std::int32_t kDenseVocabulary = 1024;            // 8 MiB of counts
constexpr std::size_t kMostPairs = std::size_t{1} << 22U;  // 128 MiB of table at half full
constexpr std::size_t kFirstPairSlots = 1U << 16;

double x_ln_x(double x) { return x > 0 ? x * std::log(x) : 0; }

}  // namespace

TokenCounts::TokenCounts(std::int32_t vocab_size)
    : vocab_size_(vocab_size), counts_(static_cast<std::size_t>(vocab_size)) {
  if (vocab_size <= kDenseVocabulary) {
    dense_.resize(static_cast<std::size_t>(vocab_size) * static_cast<std::size_t>(vocab_size));
  } else {
    sparse_.resize(kFirstPairSlots);
  }
}

void TokenCounts::add(std::span<const std::int32_t> ids) {
  for (const std::int32_t id : ids) {
    ++counts_[static_cast<std::size_t>(id)];
    if (before_ >= 0 && !full_) add_pair(before_, id);
    before_ = id;
    ++tokens_;
  }
}

void TokenCounts::add_pair(std::int32_t before, std::int32_t id) {
  const std::uint64_t index =
      static_cast<std::uint64_t>(before) * static_cast<std::uint64_t>(vocab_size_) + static_cast<std::uint64_t>(id);
  if (!dense_.empty()) {
    ++dense_[index];
    return;
  }
  const std::uint64_t key = index + 1;
  const std::size_t mask = sparse_.size() - 1;
  std::size_t at = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> 20U) & mask;
  while (sparse_[at].key != 0 && sparse_[at].key != key) at = (at + 1) & mask;
  if (sparse_[at].key == 0) {
    if (pairs_ == kMostPairs) {
      full_ = true;
      full_at_ = tokens_;
      return;
    }
    sparse_[at].key = key;
    ++pairs_;
  }
  ++sparse_[at].count;
  if (2 * pairs_ > sparse_.size()) grow();
}

void TokenCounts::grow() {
  std::vector<Pair> old(2 * sparse_.size());
  old.swap(sparse_);
  const std::size_t mask = sparse_.size() - 1;
  for (const Pair& pair : old) {
    if (pair.key == 0) continue;
    std::size_t at = static_cast<std::size_t>((pair.key * 0x9E3779B97F4A7C15ULL) >> 20U) & mask;
    while (sparse_[at].key != 0) at = (at + 1) & mask;
    sparse_[at] = pair;
  }
}

std::int64_t TokenCounts::used() const {
  return std::count_if(counts_.begin(), counts_.end(), [](std::int64_t count) { return count > 0; });
}

double TokenCounts::unigram_nats() const {
  const auto n = static_cast<double>(tokens_);
  double sum = 0;
  for (const std::int64_t count : counts_) sum += x_ln_x(static_cast<double>(count));
  return n > 0 ? std::log(n) - sum / n : 0;
}

double TokenCounts::bigram_nats() const {
  // sum_ab c(a, b) ln(c(a) / c(a, b)) / n, with c(a) the pairs that begin with a.
  std::vector<double> firsts(counts_.size());
  double pairs = 0, joint = 0;
  const auto take = [&](std::uint64_t index, std::uint64_t count) {
    const auto c = static_cast<double>(count);
    firsts[index / static_cast<std::uint64_t>(vocab_size_)] += c;
    pairs += c;
    joint += x_ln_x(c);
  };
  for (std::size_t i = 0; i < dense_.size(); ++i) {
    if (dense_[i] > 0) take(i, dense_[i]);
  }
  for (const Pair& pair : sparse_) {
    if (pair.key > 0) take(pair.key - 1, pair.count);
  }
  double first = 0;
  for (const double c : firsts) first += x_ln_x(c);
  return pairs > 0 ? std::max(0.0, (first - joint) / pairs) : 0;
}

}  // namespace minnow
