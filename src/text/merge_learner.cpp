#include "text/merge_learner.hpp"

#include <algorithm>
#include <queue>
#include <utility>

#include "minnow/base/error.hpp"
#include "minnow/text/utf8.hpp"
#include "text/pair_counts.hpp"

namespace minnow {
namespace {

/// Builds the vocabulary merge by merge.
class Learner {
 public:
  Learner(const WordCounts& words, MergeStart start, std::int64_t vocab_size, std::int64_t min_frequency)
      : start_(std::move(start)),
        wanted_(static_cast<std::size_t>(vocab_size)),
        least_(std::max<std::int64_t>(1, min_frequency)),
        pairs_(words, start_.spell),
        waiting_(Later{*this}) {
    for (std::size_t i = 0; i < pairs_.size(); ++i) waiting_.push({pairs_.pair(i).count, i});
  }

  LearnedMerges run(const std::function<void(double)>& progress) {
    const std::size_t first = start_.names.size();
    while (start_.names.size() < wanted_ && merge_next()) {
      if (progress && start_.names.size() % 256 == 0) {
        progress(static_cast<double>(start_.names.size() - first) / static_cast<double>(wanted_ - first));
      }
    }
    return {std::move(start_.names), std::move(merges_)};
  }

 private:
  struct Waiting {
    std::int64_t count;
    std::size_t pair;
  };
  /// Whether `a` merges after `b`.
  struct Later {
    const Learner& learner;
    bool operator()(const Waiting& a, const Waiting& b) const {
      return a.count != b.count ? a.count < b.count : learner.comes_later(a.pair, b.pair);
    }
  };

  [[nodiscard]] const std::string& name_of(std::int32_t id) const { return start_.names[static_cast<std::size_t>(id)]; }

  /// @return whether of two pairs of equal count `a` merges after `b`.
  [[nodiscard]] bool comes_later(std::size_t a, std::size_t b) const {
    const PairCounts::Pair &one = pairs_.pair(a), &other = pairs_.pair(b);
    if (start_.older_first) return std::pair(one.left, one.right) > std::pair(other.left, other.right);
    const int left = one.left == other.left ? 0 : name_of(one.left).compare(name_of(other.left));
    return left != 0 ? left < 0 : name_of(one.right).compare(name_of(other.right)) < 0;
  }

  /// @return whether there was one left that is frequent enough.
  bool merge_next() {
    while (!waiting_.empty()) {
      const Waiting best = waiting_.top();
      waiting_.pop();
      const PairCounts::Pair& pair = pairs_.pair(best.pair);
      if (best.count > pair.count) {  // it has become rarer since it was put in
        if (pair.count >= least_) waiting_.push({pair.count, best.pair});
        continue;
      }
      if (best.count < pair.count) continue;  // it was put in again
      if (best.count < least_) return false;
      if (add(pair.left, pair.right, best.pair)) return true;
    }
    return false;
  }

  /// @return false when no token may be called so.
  bool add(std::int32_t left, std::int32_t right, std::size_t index) {
    std::string name = start_.join(name_of(left), name_of(right));
    if (start_.taken(name)) return false;
    const auto merged = static_cast<std::int32_t>(start_.names.size());
    start_.names.push_back(std::move(name));
    merges_.push_back({left, right, merged});
    for (const std::size_t risen : pairs_.merge(index, merged)) waiting_.push({pairs_.pair(risen).count, risen});
    return true;
  }

  MergeStart start_;
  std::size_t wanted_;
  std::int64_t least_;
  std::vector<BpeMerge> merges_;
  PairCounts pairs_;
  std::priority_queue<Waiting, std::vector<Waiting>, Later> waiting_;
};

}  // namespace

LearnedMerges learn_merges(const WordCounts& words, MergeStart start, std::int64_t vocab_size,
                           std::int64_t min_frequency, const std::function<void(double)>& progress) {
  return Learner(words, std::move(start), vocab_size, min_frequency).run(progress);
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

}  // namespace minnow
