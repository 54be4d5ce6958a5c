#include <fmt/format.h>

#include "text/json_vocabulary.hpp"
#include "text/tokenizer_json.hpp"

namespace minnow {
namespace {

using Json = JsonSource::Json;

/// Reads the parts of one vocabulary of words or of their pieces.
class WordReader {
 public:
  WordReader(const JsonSource& source, const Json& root)
      : source_(source),
        root_(root),
        words_(root.at("model")),
        vocabulary_(names_in(root), [this](const std::string& what) { source_.fail(what); }) {}

  WordModel read() {
    result_.word_pieces = type_of(words_) == "WordPiece";
    read_model();
    read_normalizer(root_.at("normalizer"));
    read_pre_tokenizer(root_.at("pre_tokenizer"));
    read_decoder(root_.at("decoder"));
    result_.added = read_vocabulary(source_, root_, vocabulary_);
    result_.post_processor = root_.at("post_processor").dump();
    result_.pieces = vocabulary_.take();
    for (std::size_t id = 0; id < result_.pieces.size(); ++id) {
      if (result_.pieces[id].empty()) source_.fail(fmt::format("must have a token for every id; {} is free.", id));
    }
    return std::move(result_);
  }

 private:
  static std::string type_of(const Json& part) {
    return part.is_object() ? JsonSource::text_of(part, "type").value_or("") : "";
  }

  void read_model() {
    const auto text = [&](const char* key, const char* absent) {
      if (words_.contains(key) && !words_.at(key).is_string()) {
        source_.fail(fmt::format("must have a text for {}; got {}.", key, JsonSource::shown(words_.at(key))));
      }
      return JsonSource::text_of(words_, key).value_or(absent);
    };
    result_.unknown = text("unk_token", result_.word_pieces ? "[UNK]" : "<unk>");
    if (!result_.word_pieces) return;
    result_.prefix = text("continuing_subword_prefix", "##");
    if (!words_.contains("max_input_chars_per_word")) return;
    const Json& most = words_.at("max_input_chars_per_word");
    constexpr std::uint64_t kMost = 1'000'000;
    if (!most.is_number_unsigned() || most.get<std::uint64_t>() > kMost) {
      source_.fail(
          fmt::format("must have a max_input_chars_per_word of 0 .. {}; got {}.", kMost, JsonSource::shown(most)));
    }
    result_.max_characters = most.get<std::int64_t>();
  }

  void read_normalizer(const Json& cleaning) {
    if (cleaning.is_null()) return;
    const std::string type = type_of(cleaning);
    if (type == "Lowercase") {
      result_.cleaning = {.clean_text = false, .handle_chinese_chars = false, .strip_accents = false};
      return;
    }
    if (type != "BertNormalizer") {
      source_.unread(
          fmt::format("must have the normalizer null, BertNormalizer or Lowercase; got {}.", named(cleaning)));
    }
    TextCleaning read;
    read.clean_text = source_.flag_of(cleaning, "clean_text", true);
    read.handle_chinese_chars = source_.flag_of(cleaning, "handle_chinese_chars", true);
    read.lowercase = source_.flag_of(cleaning, "lowercase", true);
    read.strip_accents = source_.flag_of(cleaning, "strip_accents", read.lowercase);
    result_.cleaning = read;
  }

  void read_pre_tokenizer(const Json& split) {
    const std::string type = type_of(split);
    if (split.is_null()) {
      result_.split = WordSplit::kPattern;
      result_.pattern = SplitPattern::kNone;
    } else if (type == "BertPreTokenizer") {
      result_.split = WordSplit::kBert;
    } else if (type == "Whitespace") {
      result_.split = WordSplit::kWhitespace;
    } else if (type == "WhitespaceSplit") {
      result_.split = WordSplit::kBlanks;
    } else if (type == "Split") {
      read_split(split);
    } else {
      source_.unread(
          fmt::format("must have the pre-tokenizer null, BertPreTokenizer, Whitespace, WhitespaceSplit or "
                      "Split with a {} model; got {}.",
                      type_of(words_), named(split)));
    }
  }

  void read_split(const Json& split) {
    const bool isolated =
        JsonSource::text_of(split, "behavior") == "Isolated" && !source_.flag_of(split, "invert", false);
    const auto pattern = split.find("pattern");
    const std::optional<std::string> regex =
        pattern != split.end() && pattern->is_object() ? JsonSource::text_of(*pattern, "Regex") : std::nullopt;
    const std::optional<SplitPattern> known = regex ? split_of_regex(*regex) : std::nullopt;
    if (!isolated || !known) {
      source_.unread(
          fmt::format("must split texts, isolated, by a known pattern (GPT-2's, cl100k's, LLaMA 3's or Qwen "
                      "2's); got {}.",
                      JsonSource::shown(split)));
    }
    result_.split = WordSplit::kPattern;
    result_.pattern = *known;
  }

  void read_decoder(const Json& join) {
    const std::string type = type_of(join);
    if (join.is_null()) {
      result_.join = WordJoin::kBlanks;
    } else if (type == "Fuse") {
      result_.join = WordJoin::kFuse;
    } else if (type == "WordPiece") {
      result_.join = WordJoin::kPieces;
      result_.tidy = source_.flag_of(join, "cleanup", true);
      const std::string prefix = JsonSource::text_of(join, "prefix").value_or("##");
      if (result_.word_pieces && prefix != result_.prefix) {
        source_.unread(
            fmt::format("must have one prefix of pieces that go on a word; got \"{}\" to cut and \"{}\" to "
                        "join.",
                        result_.prefix, prefix));
      }
      result_.prefix = prefix;
    } else {
      source_.unread(fmt::format("must have the decoder null, WordPiece or Fuse with a {} model; got {}.",
                                 type_of(words_), named(join)));
    }
  }

  static std::string named(const Json& got) {
    return JsonSource::shown(got.is_object() && got.contains("type") ? got.at("type") : got);
  }

  const JsonSource& source_;
  const Json& root_;
  const Json& words_;
  VocabularyBuilder vocabulary_;
  WordModel result_;
};

}  // namespace

WordModel read_word_json(const JsonSource& source, const Json& root) { return WordReader(source, root).read(); }

}  // namespace minnow
