#include <fmt/format.h>

#include "text/character_symbols.hpp"
#include "text/tokenizer_json.hpp"

namespace minnow {
namespace {

using Json = JsonSource::Json;

Json replace_step(std::string_view from, std::string_view to) {
  return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}};
}

bool is_of_type(const Json& step, std::string_view type) {
  return step.is_object() && JsonSource::text_of(step, "type") == type;
}

/// @return the steps of a Sequence; what is none is one step.
std::vector<Json> steps_of(const Json& whole, const char* list) {
  if (!is_of_type(whole, "Sequence") || !whole.contains(list) || !whole.at(list).is_array()) return {whole};
  return whole.at(list).get<std::vector<Json>>();
}

/// @return the only pre-tokenizer; null when there are several.
Json only_pre_tokenizer(const Json& root) {
  const std::vector<Json> steps = steps_of(root.at("pre_tokenizer"), "pretokenizers");
  return steps.size() == 1 ? steps.front() : Json();
}

/// Reads what stands around the model of a vocabulary of characters.
class CharactersReader {
 public:
  CharactersReader(const JsonSource& source, const Json& root) : source_(source), root_(root) {}

  BpeCharacters read() {
    const Json& model = root_.at("model");
    result_.byte_fallback = source_.flag_of(model, "byte_fallback", false);
    result_.fuse_unknown = source_.flag_of(model, "fuse_unk", false);
    result_.normalizes = !root_.at("normalizer").is_null();
    if (result_.normalizes) {
      read_normalizer();
    } else {
      read_metaspace();
    }
    read_decoder();
    result_.normalizer = root_.at("normalizer").dump();
    result_.pre_tokenizer = root_.at("pre_tokenizer").dump();
    result_.decoder = root_.at("decoder").dump();
    return std::move(result_);
  }

 private:
  void read_normalizer() {
    const Json& whole = root_.at("normalizer");
    // What transformers makes of a SentencePiece model: a Metaspace behind it adds no sign where one stands.
    const Json doubling = {{"type", "Replace"},
                           {"pattern", {{"Regex", "\\A\xE2\x96\x81"}}},
                           {"content", std::string(kBlankSign).append(kBlankSign)}};
    result_.prefix = BpeCharacters::Prefix::kNever;
    bool replaces = false, doubles = false;
    for (const Json& step : steps_of(whole, "normalizers")) {
      if (step == Json{{"type", "Prepend"}, {"prepend", kBlankSign}} &&
          result_.prefix == BpeCharacters::Prefix::kNever) {
        result_.prefix = BpeCharacters::Prefix::kAlways;
      } else if (step == replace_step(" ", kBlankSign)) {
        replaces = true;
      } else if (step == doubling && replaces && result_.prefix == BpeCharacters::Prefix::kNever) {
        doubles = true;
      } else {
        refuse_normalizer(step);
      }
    }
    if (!replaces) refuse_normalizer(whole);
    // Gemma's: no blank is left that could split a text.
    const Json idle = {
        {"type", "Split"}, {"pattern", {{"String", " "}}}, {"behavior", "MergedWithPrevious"}, {"invert", false}};
    const Json& before = root_.at("pre_tokenizer");
    if (!doubles && (before.is_null() || before == idle)) return;
    read_metaspace_behind(doubles);
  }

  void read_metaspace_behind(bool doubles) {
    using Prefix = BpeCharacters::Prefix;
    if (result_.prefix != Prefix::kNever) {
      source_.unread(fmt::format("must have no pre-tokenizer behind a normalizer that prepends; got {}.",
                                 JsonSource::shown(root_.at("pre_tokenizer"))));
    }
    read_metaspace();
    if (doubles && result_.prefix != Prefix::kUnlessThere) refuse_normalizer(root_.at("normalizer"));
    if (doubles) result_.prefix = Prefix::kAlways;
    result_.normalizes = false;
    for (const Json& token : root_.at("added_tokens")) {
      if (!token.is_object() || !source_.flag_of(token, "normalized", false)) continue;
      source_.unread("must have no added token that is normalized where a Metaspace follows a normalizer.");
    }
  }

  [[noreturn]] void refuse_normalizer(const Json& got) const {
    source_.unread(
        fmt::format("must have no normalizer with a model of type \"BPE\" but one that replaces blanks by U+2581 and "
                    "perhaps prepends one; got {}.",
                    JsonSource::shown(got)));
  }

  void read_metaspace() {
    const Json before = only_pre_tokenizer(root_);
    if (!is_of_type(before, "Metaspace") || JsonSource::text_of(before, "replacement") != kBlankSign) {
      source_.unread(
          fmt::format("must replace blanks by U+2581, in the normalizer or a Metaspace, to have byte_fallback; "
                      "got the pre-tokenizer {}.",
                      JsonSource::shown(before)));
    }
    result_.splits = source_.flag_of(before, "split", true);
    const std::string scheme = JsonSource::text_of(before, "prepend_scheme").value_or("always");
    if (scheme == "never" || !source_.flag_of(before, "add_prefix_space", true)) {
      result_.prefix = BpeCharacters::Prefix::kNever;
    } else if (scheme == "always") {
      result_.prefix = BpeCharacters::Prefix::kUnlessThere;
    } else if (scheme == "first") {
      result_.prefix = BpeCharacters::Prefix::kUnlessThereAtStart;
    } else {
      source_.unread(fmt::format("must have a prepend_scheme of always, first or never; got \"{}\".", scheme));
    }
  }

  /// Blanks for signs, bytes for their names, one text, and without its first blank, in this order.
  void read_decoder() {
    std::vector<Json> steps = steps_of(root_.at("decoder"), "decoders");
    std::size_t done = 0;
    const auto take = [&](bool fits) { return done < steps.size() && fits ? ++done > 0 : false; };
    const auto next = [&] { return done < steps.size() ? steps[done] : Json(); };
    const bool replaces = take(next() == replace_step(kBlankSign, " "));
    result_.byte_names = take(is_of_type(next(), "ByteFallback"));
    const bool fuses = take(is_of_type(next(), "Fuse"));
    result_.drops_blank = fuses && take(next() == Json{{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
    if (replaces && done == steps.size() && result_.byte_names >= result_.byte_fallback) return;
    source_.unread(
        fmt::format("must be decoded by Replace (U+2581 by a blank), ByteFallback, Fuse and perhaps Strip (one "
                    "blank, of the start); got {}.",
                    JsonSource::shown(root_.at("decoder"))));
  }

  const JsonSource& source_;
  const Json& root_;
  BpeCharacters result_;
};

}  // namespace

bool merges_characters(const Json& root) {
  const Json& model = root.at("model");
  const auto fallback = model.find("byte_fallback");
  return !root.at("normalizer").is_null() || is_of_type(only_pre_tokenizer(root), "Metaspace") ||
         (fallback != model.end() && *fallback == true);
}

BpeCharacters read_bpe_characters(const JsonSource& source, const Json& root) {
  return CharactersReader(source, root).read();
}

}  // namespace minnow
