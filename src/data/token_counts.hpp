#pragma once
/// @file
/// Counts tokens and pairs of neighbours, and gives their entropies.

#include <cstdint>
#include <span>
#include <vector>

namespace minnow {

/// Unigram entropy: H = -sum_a p(a) ln p(a). Bigram entropy, of a token given the one before it:
/// H = -sum_ab p(a, b) ln p(b | a). Natural logarithms, so both are losses in nats per token.
class TokenCounts {
 public:
  explicit TokenCounts(std::int32_t vocab_size);

  /// The tokens that are added next follow nothing: a document begins.
  void begin_document() { before_ = -1; }
  void add(std::span<const std::int32_t> ids);

  [[nodiscard]] std::int64_t tokens() const noexcept { return tokens_; }
  [[nodiscard]] std::int64_t used() const;
  [[nodiscard]] double unigram_nats() const;
  [[nodiscard]] double bigram_nats() const;
  /// @return tokens that were there before the table of pairs was full; all as a rule.
  [[nodiscard]] std::int64_t bigram_tokens() const noexcept { return full_ ? full_at_ : tokens_; }

 private:
  void add_pair(std::int32_t before, std::int32_t id);
  void grow();

  struct Pair {
    std::uint64_t key = 0;  // before * V + id + 1; 0: empty
    std::uint64_t count = 0;
  };

  std::int32_t vocab_size_;
  std::vector<std::int64_t> counts_;
  std::vector<std::uint64_t> dense_;  // (V, V) for small vocabularies
  std::vector<Pair> sparse_;          // else a table by hash
  std::size_t pairs_ = 0;
  std::int32_t before_ = -1;
  std::int64_t tokens_ = 0, full_at_ = 0;
  bool full_ = false;
};

}  // namespace minnow
