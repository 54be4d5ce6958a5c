#include <fmt/format.h>

#include <algorithm>

#include "minnow/base/error.hpp"
#include "minnow/text/bpe_model.hpp"
#include "text/json_source.hpp"
#include "text/vocabulary_builder.hpp"

namespace minnow {
namespace {

std::vector<BpeMerge> read_merge_lines(std::string_view text, const VocabularyBuilder& vocabulary,
                                       std::string_view source) {
  std::vector<BpeMerge> merges;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos || line.find(' ', blank + 1) != std::string_view::npos) {
      throw DataError(fmt::format("[tokenizer] {}: line {} must be two names with a blank between.", source, number));
    }
    const std::string_view left = line.substr(0, blank), right = line.substr(blank + 1);
    const BpeMerge merge{vocabulary.find(left), vocabulary.find(right),
                         vocabulary.find(std::string(left).append(right))};
    if (merge.left < 0 || merge.right < 0 || merge.result < 0) {
      throw DataError(
          fmt::format("[tokenizer] {}: line {} must merge tokens of the vocabulary to one of them; got \"{}\" and "
                      "\"{}\". Hint: the "
                      "two files belong to different tokenizers.",
                      source, number, left, right));
    }
    merges.push_back(merge);
  }
  return merges;
}

/// What is neither a byte nor merged can only be meant as a mark, and is written like one.
std::vector<AddedToken> special_tokens(const BpeModel& model) {
  std::vector<bool> made(model.pieces.size());
  for (const BpeMerge& merge : model.merges) made[static_cast<std::size_t>(merge.result)] = true;
  std::vector<AddedToken> added;
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    const std::string& piece = model.pieces[id];
    const bool marked =
        (piece.starts_with('<') && piece.ends_with('>')) || (piece.starts_with('[') && piece.ends_with(']'));
    if (made[id] || piece.size() < 3 || !marked) continue;
    added.push_back({.id = static_cast<std::int32_t>(id), .content = piece});
  }
  return added;
}

/// The pair of files has no room for more than names and merges.
void check_fits(const BpeModel& model) {
  if (model.pattern != SplitPattern::kGpt2) {
    throw DataError(
        fmt::format("[tokenizer] vocab.json and merges.txt imply the pattern of GPT-2; got {}. Hint: "
                    "tokenizer.json holds every tokenizer.",
                    split_name(model.pattern)));
  }
  for (const BpeMerge& merge : model.merges) {
    const std::string& name = model.pieces[static_cast<std::size_t>(merge.result)];
    if (name.find(' ') == std::string::npos) continue;
    throw DataError(fmt::format("[tokenizer] merges.txt must have no blank in a name; got \"{}\".", name));
  }
}

}  // namespace

BpeModel read_vocab_merges(std::string_view vocab, std::string_view merges, std::string_view vocab_source,
                           std::string_view merges_source) {
  const JsonSource source(vocab_source);
  const JsonSource::Json root = source.parse(vocab);
  if (!root.is_object() || root.empty()) source.fail("must be an object of names and ids.");
  VocabularyBuilder vocabulary(root.size(), [&](const std::string& what) { source.fail(what); });
  for (const auto& item : root.items()) {
    if (!item.value().is_number_unsigned()) {
      source.fail(fmt::format("must number its tokens from 0 on; got the id {}.", JsonSource::shown(item.value())));
    }
    vocabulary.add(item.key(), item.value().get<std::uint64_t>());
  }
  BpeModel model;
  model.merges = read_merge_lines(merges, vocabulary, merges_source);
  model.pieces = vocabulary.take();
  model.added = special_tokens(model);
  return model;
}

std::string write_vocab_json(const BpeModel& model) {
  check_fits(model);
  // By hand, since nlohmann would sort the names.
  std::string text = "{";
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    if (model.pieces[id].empty()) continue;
    text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : "", nlohmann::json(model.pieces[id]).dump(), id);
  }
  return text + "}\n";
}

std::string write_merges_txt(const BpeModel& model) {
  check_fits(model);
  std::string text = "#version: 0.2\n";
  for (const BpeMerge& merge : model.merges) {
    text += fmt::format("{} {}\n", model.pieces[static_cast<std::size_t>(merge.left)],
                        model.pieces[static_cast<std::size_t>(merge.right)]);
  }
  return text;
}

}  // namespace minnow
