#include "minnow/text/word_trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "minnow/base/error.hpp"
#include "minnow/text/utf8.hpp"
#include "text/merge_learner.hpp"
#include "text/word_counts.hpp"
#include "text/word_text.hpp"

namespace minnow {
namespace {

constexpr std::string_view kGoesOn = "##";
// More characters than these are left to [UNK]. Source: BertWordPieceTokenizer of `tokenizers` (limit_alphabet).
constexpr std::size_t kMostCharacters = 1000;

/// @return the special tokens of a vocabulary, with its first ids.
WordModel begin_words(const WordTraining& training, std::vector<std::string> special) {
  special.insert(special.end(), training.special.begin(), training.special.end());
  std::unordered_set<std::string> names;
  for (const std::string& name : special) {
    if (name.size() < 2 || count_invalid_utf8(name) > 0 || !names.insert(name).second) {
      throw ConfigError(fmt::format(
          "[tokenizer] special tokens must be different, of more than a character and of UTF-8; got \"{}\".", name));
    }
  }
  const auto fixed = static_cast<std::int64_t>(special.size());
  if (training.vocab_size <= fixed || training.vocab_size > INT32_MAX) {
    throw ConfigError(fmt::format("[tokenizer] the vocabulary must have room for {} special token(s) and more; got {}.",
                                  fixed, training.vocab_size));
  }
  WordModel model;
  for (const std::string& name : special) {
    model.added.push_back({.id = static_cast<std::int32_t>(model.pieces.size()), .content = name});
    model.pieces.push_back(name);
  }
  return model;
}

WordCounts count_all(std::span<const std::string_view> texts, const WordTraining& training,
                     std::vector<std::string> special, const WordModel& model) {
  WordCounting counting;
  counting.special = std::move(special);
  counting.count = [&model](std::string_view text, WordCounts& counts) {
    std::string made;
    if (model.cleaning) {
      made = clean_text(text, *model.cleaning);
      text = made;
    } else if (count_invalid_utf8(text) > 0) {
      made = replace_invalid_utf8(text);
      text = made;
    }
    split_words(text, model.split, model.pattern, [&](std::string_view word) { counts.add(word); });
  };
  const bool whole = model.split == WordSplit::kPattern && model.pattern == SplitPattern::kNone;
  if (!whole) counting.cuts = cuts_words;
  if (training.progress) counting.progress = [&training](double share) { training.progress(0, share); };
  return count_words(texts, counting);
}

/// The characters of words as tokens: alone, and behind "##" where one goes on a word.
class Characters {
 public:
  /// @param room  tokens at most
  Characters(const WordCounts& words, std::size_t room) {
    std::unordered_map<char32_t, std::int64_t> counts;
    each_character(words, [&](char32_t code_point, bool, std::int64_t count) { counts[code_point] += count; });
    std::vector<std::pair<std::int64_t, char32_t>> order;
    order.reserve(counts.size());
    for (const auto& [code_point, count] : counts) order.emplace_back(-count, code_point);
    std::sort(order.begin(), order.end());
    order.resize(std::min({order.size(), kMostCharacters, room / 2}));
    std::unordered_set<char32_t> kept;
    for (const auto& [count, code_point] : order) kept.insert(code_point);
    std::unordered_set<char32_t> goes_on;
    each_character(words, [&](char32_t code_point, bool first, std::int64_t) {
      if (!first && kept.contains(code_point)) goes_on.insert(code_point);
    });
    begins_.assign(kept.begin(), kept.end());
    follows_.assign(goes_on.begin(), goes_on.end());
    std::sort(begins_.begin(), begins_.end());
    std::sort(follows_.begin(), follows_.end());
  }

  void name_into(std::vector<std::string>& names) {
    for (const bool first : {true, false}) {
      for (const char32_t code_point : first ? begins_ : follows_) {
        (first ? begin_ids_ : follow_ids_).emplace(code_point, static_cast<std::int32_t>(names.size()));
        append_utf8(names.emplace_back(first ? "" : kGoesOn), code_point);
      }
    }
  }

  void spell(std::string_view word, std::vector<std::int32_t>& ids) const {
    const std::size_t before = ids.size();
    for (std::size_t i = 0; i < word.size();) {
      const Utf8Step step = read_utf8(word, i);
      const auto& known = i == 0 ? begin_ids_ : follow_ids_;
      const auto found = known.find(step.code_point);
      if (found == known.end()) {
        ids.resize(before);
        return;
      }
      ids.push_back(found->second);
      i += step.length;
    }
  }

 private:
  template <class Action>
  static void each_character(const WordCounts& words, const Action& action) {
    for (const WordCounts::Word& word : words.words()) {
      for (std::size_t i = 0; i < word.bytes.size();) {
        const Utf8Step step = read_utf8(word.bytes, i);
        action(step.code_point, i == 0, word.count);
        i += step.length;
      }
    }
  }

  std::vector<char32_t> begins_, follows_;
  std::unordered_map<char32_t, std::int32_t> begin_ids_, follow_ids_;
};

}  // namespace

WordModel train_words(std::span<const std::string_view> texts, const WordTraining& training) {
  WordModel model = begin_words(training, {"[UNK]"});
  require_content(texts);
  model.word_pieces = false;
  model.split = WordSplit::kPattern;
  model.pattern = training.pattern;
  model.join = WordJoin::kFuse;
  const WordCounts counts = count_all(texts, training, training.special, model);
  std::vector<const WordCounts::Word*> order;
  const std::unordered_set<std::string_view> taken(model.pieces.begin(), model.pieces.end());
  for (const WordCounts::Word& word : counts.words()) {
    if (word.count >= training.min_frequency && !taken.contains(word.bytes)) order.push_back(&word);
  }
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->count != b->count ? a->count > b->count : a->bytes < b->bytes;
  });
  order.resize(std::min(order.size(), static_cast<std::size_t>(training.vocab_size) - model.pieces.size()));
  for (const WordCounts::Word* word : order) model.pieces.emplace_back(word->bytes);
  return model;
}

WordModel train_word_pieces(std::span<const std::string_view> texts, const WordTraining& training) {
  WordModel model = begin_words(training, {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"});
  require_content(texts);
  model.cleaning.emplace();
  model.cleaning->lowercase = model.cleaning->strip_accents = training.lowercase;
  const WordCounts counts = count_all(texts, training, model.pieces, model);
  Characters characters(counts, static_cast<std::size_t>(training.vocab_size) - model.pieces.size());
  MergeStart start;
  start.names = model.pieces;
  characters.name_into(start.names);
  start.older_first = true;  // as WordPieceTrainer of `tokenizers`
  std::unordered_set<std::string> taken(start.names.begin(), start.names.end());
  start.spell = [&](std::string_view word, std::vector<std::int32_t>& ids) { characters.spell(word, ids); };
  start.join = [](const std::string& left, const std::string& right) { return left + right.substr(kGoesOn.size()); };
  start.taken = [&](const std::string& name) { return !taken.insert(name).second; };
  std::function<void(double)> progress;
  if (training.progress) progress = [&](double share) { training.progress(1, share); };
  model.pieces = learn_merges(counts, std::move(start), training.vocab_size, training.min_frequency, progress).names;
  model.post_processor = bert_frame(model.pieces);
  return model;
}

}  // namespace minnow
