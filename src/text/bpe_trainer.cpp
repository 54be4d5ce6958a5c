#include "minnow/text/bpe_trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <queue>
#include <unordered_set>

#include "minnow/base/error.hpp"
#include "minnow/text/utf8.hpp"
#include "text/pair_counts.hpp"
#include "text/tokenizer_json.hpp"

namespace minnow {
namespace {

void check_training(const BpeTraining& training) {
  const auto fixed = static_cast<std::int64_t>(training.special.size()) + 256;
  if (training.vocab_size < fixed || training.vocab_size > INT32_MAX) {
    throw ConfigError(fmt::format(
        "[tokenizer] the vocabulary must have room for 256 bytes and {} special token(s), {} in all; got {}.",
        training.special.size(), fixed, training.vocab_size));
  }
  std::unordered_set<std::string> names;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(static_cast<std::uint8_t>(byte));
    names.insert(piece_of_bytes({&c, 1}));
  }
  for (const std::string& special : training.special) {
    if (special.empty() || count_invalid_utf8(special) > 0 || !names.insert(special).second) {
      throw ConfigError(fmt::format(
          "[tokenizer] special tokens must be different, of more than a character and of UTF-8; got \"{}\".", special));
    }
  }
}

void require_content(std::span<const std::string_view> texts) {
  for (const std::string_view text : texts) {
    for (std::size_t i = 0; i < text.size();) {
      const Utf8Step step = read_utf8(text, i);
      if (!is_white_space(step.code_point)) return;
      i += step.length;
    }
  }
  throw DataError("[tokenizer] a text to learn from must have more than white space; got none.");
}

/// Builds the vocabulary merge by merge.
class Trainer {
 public:
  Trainer(const WordCounts& words, const BpeTraining& training)
      : training_(training), byte_ids_(begin_vocabulary()), pairs_(words, byte_ids_), waiting_(Later{*this}) {
    for (std::size_t i = 0; i < pairs_.size(); ++i) waiting_.push({pairs_.pair(i).count, i});
  }

  BpeModel run() {
    const auto wanted = static_cast<std::size_t>(training_.vocab_size);
    const std::size_t first = bytes_.size();
    while (bytes_.size() < wanted && merge_next()) {
      if (training_.progress && bytes_.size() % 256 == 0) {
        training_.progress(1, static_cast<double>(bytes_.size() - first) / static_cast<double>(wanted - first));
      }
    }
    model_.pattern = training_.pattern;
    return std::move(model_);
  }

 private:
  struct Waiting {
    std::int64_t count;
    std::size_t pair;
  };
  /// Whether `a` merges after `b`.
  struct Later {
    const Trainer& trainer;
    bool operator()(const Waiting& a, const Waiting& b) const {
      return a.count != b.count ? a.count < b.count : trainer.is_smaller(a.pair, b.pair);
    }
  };

  [[nodiscard]] const std::string& bytes_of(std::int32_t id) const { return bytes_[static_cast<std::size_t>(id)]; }

  [[nodiscard]] bool is_smaller(std::size_t a, std::size_t b) const {
    const PairCounts::Pair &one = pairs_.pair(a), &other = pairs_.pair(b);
    const int left = one.left == other.left ? 0 : bytes_of(one.left).compare(bytes_of(other.left));
    return left != 0 ? left < 0 : bytes_of(one.right).compare(bytes_of(other.right)) < 0;
  }

  std::array<std::int32_t, 256> begin_vocabulary() {
    for (const std::string& special : training_.special) {
      model_.added.push_back({.id = static_cast<std::int32_t>(bytes_.size()), .content = special});
      model_.pieces.push_back(special);
      bytes_.push_back(special);
      taken_.insert(special);
    }
    std::array<std::uint8_t, 256> order;
    std::iota(order.begin(), order.end(), std::uint8_t{0});
    std::sort(order.begin(), order.end(),
              [](std::uint8_t a, std::uint8_t b) { return byte_stand_in(a) < byte_stand_in(b); });
    std::array<std::int32_t, 256> ids{};
    for (const std::uint8_t byte : order) {
      ids[byte] = static_cast<std::int32_t>(bytes_.size());
      bytes_.emplace_back(1, static_cast<char>(byte));
      model_.pieces.push_back(piece_of_bytes(bytes_.back()));
    }
    return ids;
  }

  /// @return whether there was one left that is frequent enough.
  bool merge_next() {
    const std::int64_t least = std::max<std::int64_t>(1, training_.min_frequency);
    while (!waiting_.empty()) {
      const Waiting best = waiting_.top();
      waiting_.pop();
      const PairCounts::Pair& pair = pairs_.pair(best.pair);
      if (best.count > pair.count) {  // it has become rarer since it was put in
        if (pair.count >= least) waiting_.push({pair.count, best.pair});
        continue;
      }
      if (best.count < pair.count) continue;  // it was put in again
      if (best.count < least) return false;
      if (add(pair.left, pair.right, best.pair)) return true;
    }
    return false;
  }

  /// @return false when the token would have the name of a special one.
  bool add(std::int32_t left, std::int32_t right, std::size_t index) {
    std::string bytes = bytes_of(left) + bytes_of(right);
    std::string piece = piece_of_bytes(bytes);
    if (taken_.contains(piece)) return false;
    const auto merged = static_cast<std::int32_t>(bytes_.size());
    bytes_.push_back(std::move(bytes));
    model_.pieces.push_back(std::move(piece));
    model_.merges.push_back({left, right, merged});
    for (const std::size_t risen : pairs_.merge(index, merged)) waiting_.push({pairs_.pair(risen).count, risen});
    return true;
  }

  const BpeTraining& training_;
  BpeModel model_;
  std::vector<std::string> bytes_;         // by id
  std::unordered_set<std::string> taken_;  // names of special tokens
  std::array<std::int32_t, 256> byte_ids_;
  PairCounts pairs_;
  std::priority_queue<Waiting, std::vector<Waiting>, Later> waiting_;
};

}  // namespace

BpeModel train_bpe(std::span<const std::string_view> texts, const BpeTraining& training) {
  check_training(training);
  require_content(texts);
  const WordCounts words = count_words(texts, training);
  return Trainer(words, training).run();
}

}  // namespace minnow
