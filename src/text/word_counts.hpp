#pragma once
/// @file
/// Counts the different pieces of texts.

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minnow {

/// Byte strings and how often each was seen, in the order of their first appearance.
class WordCounts {
 public:
  struct Word {
    std::string_view bytes;  // looks into the table's own memory
    std::uint64_t hash;
    std::int64_t count;
  };

  WordCounts() : slots_(1024, kFree) {}

  void add(std::string_view bytes) { add(bytes, hash_of(bytes), 1); }
  void add(const WordCounts& other) {
    for (const Word& word : other.words_) add(word.bytes, word.hash, word.count);
  }

  [[nodiscard]] const std::vector<Word>& words() const { return words_; }

 private:
  static constexpr std::uint32_t kFree = 0xFFFFFFFFU;

  static std::uint64_t hash_of(std::string_view bytes);
  void add(std::string_view bytes, std::uint64_t hash, std::int64_t count);
  std::string_view keep(std::string_view bytes);
  void grow();

  std::vector<Word> words_;
  std::vector<std::uint32_t> slots_;  // indices of words
  std::deque<std::string> blocks_;    // their bytes, in blocks that never move
};

/// How words are counted.
struct WordCounting {
  std::vector<std::string> special{};  ///< texts are cut where these stand
  /// Adds the words of a text.
  std::function<void(std::string_view text, WordCounts& counts)> count{};
  /// Whether the two parts of a text have the words of the whole; empty: texts stay whole.
  std::function<bool(std::string_view text, std::size_t position)> cuts{};
  std::function<void(double share)> progress{};  ///< may be empty
};

/// @return the words of all texts, counted on all threads; always in the same order.
[[nodiscard]] WordCounts count_words(std::span<const std::string_view> texts, const WordCounting& counting);

}  // namespace minnow
