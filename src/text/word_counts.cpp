#include "text/word_counts.hpp"

#include <algorithm>
#include <atomic>

#include "minnow/base/fast_hash.hpp"
#include "minnow/base/parallel.hpp"
#include "text/added_tokens.hpp"

namespace minnow {
namespace {

// What one thread counts between two looks at the clock.
constexpr std::size_t kCountedPart = 1U << 20;
// So many tables are filled side by side; each holds most of the words there are.
constexpr std::size_t kTables = 8;
constexpr std::size_t kBlockBytes = 1U << 20;

/// @return the texts in parts of about kCountedPart whose pieces are those of the whole.
std::vector<std::string_view> parts_of(std::span<const std::string_view> texts, const WordCounting& counting,
                                       const AddedTokens& special) {
  std::vector<std::string_view> parts;
  for (std::string_view rest : texts) {
    while (counting.cuts && rest.size() > kCountedPart) {
      std::size_t cut = kCountedPart;
      while (cut < rest.size() && (!counting.cuts(rest, cut) || special.touch(rest, cut))) ++cut;
      if (cut >= rest.size()) break;
      parts.push_back(rest.substr(0, cut));
      rest.remove_prefix(cut);
    }
    if (!rest.empty()) parts.push_back(rest);
  }
  return parts;
}

}  // namespace

std::uint64_t WordCounts::hash_of(std::string_view bytes) { return fast_hash(std::as_bytes(std::span(bytes))); }

void WordCounts::add(std::string_view bytes, std::uint64_t hash, std::int64_t count) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != kFree; slot = (slot + 1) & mask) {
    Word& word = words_[slots_[slot]];
    if (word.hash == hash && word.bytes == bytes) {
      word.count += count;
      return;
    }
  }
  slots_[slot] = static_cast<std::uint32_t>(words_.size());
  words_.push_back({keep(bytes), hash, count});
  if (2 * words_.size() > slots_.size()) grow();
}

std::string_view WordCounts::keep(std::string_view bytes) {
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < bytes.size()) {
    blocks_.emplace_back().reserve(std::max(kBlockBytes, bytes.size()));
  }
  std::string& block = blocks_.back();
  const std::size_t begin = block.size();
  block += bytes;
  return std::string_view(block).substr(begin);
}

void WordCounts::grow() {
  slots_.assign(2 * slots_.size(), kFree);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    std::size_t slot = words_[i].hash & mask;
    while (slots_[slot] != kFree) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(i);
  }
}

WordCounts count_words(std::span<const std::string_view> texts, const WordCounting& counting) {
  std::vector<AddedToken> marks;
  for (const std::string& content : counting.special) marks.push_back({.content = content});
  const AddedTokens special(marks, true);
  const std::vector<std::string_view> parts = parts_of(texts, counting, special);
  const std::size_t lanes = std::min(kTables, parts.size());
  std::vector<WordCounts> tables(lanes);
  std::atomic<std::size_t> done = 0;
  parallel_chunks(static_cast<Index>(lanes), [&](Index lane) {
    const auto k = static_cast<std::size_t>(lane);
    for (std::size_t i = parts.size() * k / lanes; i < parts.size() * (k + 1) / lanes; ++i) {
      if (special.empty()) {
        counting.count(parts[i], tables[k]);
      } else {
        special.cut(
            parts[i], [&](std::string_view text) { counting.count(text, tables[k]); }, [](std::int32_t) {});
      }
      const std::size_t so_far = ++done;
      if (counting.progress && thread_number() == 0) {
        counting.progress(static_cast<double>(so_far) / static_cast<double>(parts.size()));
      }
    }
  });
  if (tables.empty()) return {};
  for (std::size_t k = 1; k < lanes; ++k) {
    tables[0].add(tables[k]);
    tables[k] = {};
  }
  return std::move(tables[0]);
}

}  // namespace minnow
