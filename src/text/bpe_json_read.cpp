#include <fmt/format.h>

#include <algorithm>

#include "text/json_vocabulary.hpp"
#include "text/tokenizer_json.hpp"

namespace minnow {
namespace {

using Json = JsonSource::Json;

/// Reads the parts of one BPE.
class BpeReader {
 public:
  BpeReader(const JsonSource& source, const Json& root)
      : source_(source),
        root_(root),
        model_(root.at("model")),
        vocabulary_(names_in(root), [this](const std::string& what) { source_.fail(what); }) {}

  BpeModel read() {
    check_model();
    if (merges_characters(root_)) {
      result_.characters = read_bpe_characters(source_, root_);
      result_.pattern = SplitPattern::kNone;
    } else {
      read_pre_tokenizer(root_.at("pre_tokenizer"));
    }
    result_.added = read_vocabulary(source_, root_, vocabulary_);
    result_.merges.reserve(model_.at("merges").size());
    for (const Json& merge : model_.at("merges")) add_merge(merge);
    if (result_.characters) result_.characters->unknown = unknown_token();
    result_.post_processor = root_.at("post_processor").dump();
    result_.pieces = vocabulary_.take();
    return std::move(result_);
  }

 private:
  void check_model() {
    const auto dropout = model_.find("dropout");
    if (dropout != model_.end() && !dropout->is_null() && *dropout != 0) {
      source_.unread(fmt::format("must have no dropout; got {}.", JsonSource::shown(*dropout)));
    }
    result_.ignore_merges = source_.flag_of(model_, "ignore_merges", false);
  }

  [[nodiscard]] std::int32_t unknown_token() const {
    const std::optional<std::string> name = JsonSource::text_of(model_, "unk_token");
    const std::int32_t id = name ? vocabulary_.find(*name) : -1;
    if (name && id < 0) source_.fail(fmt::format("must have its unk_token among its tokens; got \"{}\".", *name));
    return id;
  }

  void read_pre_tokenizer(const Json& before) {
    const std::optional<std::string> type = before.is_object() ? JsonSource::text_of(before, "type") : std::nullopt;
    if (type == "ByteLevel") {
      read_byte_level(before);
      return;
    }
    const auto steps = before.is_object() ? before.find("pretokenizers") : before.end();
    if (type != "Sequence" || steps == before.end() || !steps->is_array() || steps->empty() || steps->size() > 2) {
      refuse_pre_tokenizer(before);
    }
    const Json& last = steps->back();
    if (!last.is_object() || JsonSource::text_of(last, "type") != "ByteLevel") refuse_pre_tokenizer(last);
    read_byte_level(last);
    if (steps->size() == 1) return;
    if (result_.pattern != SplitPattern::kNone || result_.add_prefix_space) {
      source_.unread("must have use_regex and add_prefix_space false in a ByteLevel that follows a Split.");
    }
    read_split(steps->front());
  }

  void read_byte_level(const Json& step) {
    result_.add_prefix_space = source_.flag_of(step, "add_prefix_space", true);
    result_.pattern = source_.flag_of(step, "use_regex", true) ? SplitPattern::kGpt2 : SplitPattern::kNone;
  }

  void read_split(const Json& step) {
    if (!step.is_object() || JsonSource::text_of(step, "type") != "Split" || !step.contains("pattern")) {
      refuse_pre_tokenizer(step);
    }
    // The matches of these patterns leave nothing between them: to remove what is between them is to isolate them.
    const bool invert = source_.flag_of(step, "invert", false);
    if (JsonSource::text_of(step, "behavior") != (invert ? "Removed" : "Isolated")) refuse_pre_tokenizer(step);
    const Json& pattern = step.at("pattern");
    const std::optional<std::string> regex = pattern.is_object() ? JsonSource::text_of(pattern, "Regex") : std::nullopt;
    const std::optional<SplitPattern> known = regex ? split_of_regex(*regex) : std::nullopt;
    if (!known) {
      source_.unread(
          fmt::format("must split texts by a known pattern (GPT-2's, cl100k's, LLaMA 3's or Qwen 2's); got {}.",
                      regex ? *regex : JsonSource::shown(pattern)));
    }
    result_.pattern = *known;
  }

  [[noreturn]] void refuse_pre_tokenizer(const Json& got) const {
    const bool typed = got.is_object() && got.contains("type");
    source_.unread(
        fmt::format("must have the pre-tokenizer null (characters), ByteLevel, or a Sequence of Split and ByteLevel "
                    "(bytes); got {}.",
                    JsonSource::shown(typed ? got.at("type") : got)));
  }

  void add_merge(const Json& merge) {
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      add_pair(merge[0].get_ref<const std::string&>(), merge[1].get_ref<const std::string&>());
      return;
    }
    if (!merge.is_string())
      source_.fail(fmt::format("must have merges of two names; got {}.", JsonSource::shown(merge)));
    const std::string_view line = merge.get_ref<const std::string&>();
    if (line.starts_with("#version")) return;
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos || line.find(' ', blank + 1) != std::string_view::npos) {
      source_.fail(
          fmt::format("must have merges of two names with a blank between; got {}.", JsonSource::shown(merge)));
    }
    add_pair(line.substr(0, blank), line.substr(blank + 1));
  }

  void add_pair(std::string_view left, std::string_view right) {
    const BpeMerge merge{vocabulary_.find(left), vocabulary_.find(right),
                         vocabulary_.find(std::string(left).append(right))};
    if (merge.left < 0 || merge.right < 0 || merge.result < 0) {
      source_.fail(fmt::format("must have merges of tokens that make a token; got \"{}\" and \"{}\".", left, right));
    }
    result_.merges.push_back(merge);
  }

  const JsonSource& source_;
  const Json& root_;
  const Json& model_;
  VocabularyBuilder vocabulary_;
  BpeModel result_;
};

}  // namespace

BpeModel read_bpe_json(const JsonSource& source, const JsonSource::Json& root) {
  return BpeReader(source, root).read();
}

}  // namespace minnow
