#include "minnow/text/bpe_trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_set>

#include "minnow/base/error.hpp"
#include "minnow/text/utf8.hpp"
#include "text/merge_learner.hpp"
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

struct ByteAlphabet {
  std::vector<std::uint8_t> order;      // by rising id
  std::array<std::int32_t, 256> ids{};  // behind the special tokens
};

ByteAlphabet bytes_behind(std::size_t special) {
  ByteAlphabet alphabet;
  alphabet.order.resize(256);
  std::iota(alphabet.order.begin(), alphabet.order.end(), std::uint8_t{0});
  std::sort(alphabet.order.begin(), alphabet.order.end(),
            [](std::uint8_t a, std::uint8_t b) { return byte_stand_in(a) < byte_stand_in(b); });
  auto id = static_cast<std::int32_t>(special);
  for (const std::uint8_t byte : alphabet.order) alphabet.ids[byte] = id++;
  return alphabet;
}

WordCounting counting_of(const BpeTraining& training) {
  WordCounting counting;
  counting.special = training.special;
  const SplitPattern pattern = training.pattern;
  counting.count = [pattern](std::string_view text, WordCounts& counts) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = piece_end(pattern, text, begin);
      counts.add(text.substr(begin, end - begin));
      begin = end;
    }
  };
  if (pattern != SplitPattern::kNone) counting.cuts = always_cuts;
  if (training.progress) {
    counting.progress = [&training](double share) { training.progress(0, share); };
  }
  return counting;
}

}  // namespace

BpeModel train_bpe(std::span<const std::string_view> texts, const BpeTraining& training) {
  check_training(training);
  require_content(texts);
  const WordCounts words = count_words(texts, counting_of(training));
  const ByteAlphabet alphabet = bytes_behind(training.special.size());
  const std::unordered_set<std::string> taken(training.special.begin(), training.special.end());
  MergeStart start;
  start.names = training.special;
  for (const std::uint8_t byte : alphabet.order) start.names.emplace_back(1, static_cast<char>(byte));
  start.spell = [&](std::string_view word, std::vector<std::int32_t>& ids) {
    for (const char byte : word) ids.push_back(alphabet.ids[static_cast<std::uint8_t>(byte)]);
  };
  start.join = [](const std::string& left, const std::string& right) { return left + right; };
  start.taken = [&](const std::string& bytes) { return !taken.empty() && taken.contains(piece_of_bytes(bytes)); };
  std::function<void(double)> progress;
  if (training.progress) progress = [&](double share) { training.progress(1, share); };
  LearnedMerges learned = learn_merges(words, std::move(start), training.vocab_size, training.min_frequency, progress);
  BpeModel model;
  model.pattern = training.pattern;
  model.merges = std::move(learned.merges);
  for (std::size_t id = 0; id < learned.names.size(); ++id) {
    const bool special = id < training.special.size();
    if (special) model.added.push_back({.id = static_cast<std::int32_t>(id), .content = learned.names[id]});
    model.pieces.push_back(special ? learned.names[id] : piece_of_bytes(learned.names[id]));
  }
  return model;
}

}  // namespace minnow
