#include "train/propose_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "minnow/config/keys.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow {
namespace {

constexpr std::size_t kCommentWidth = 110;

/// @return the text as lines of a comment. What TOML forbids there, control characters and ill-formed UTF-8 in the name
/// of a file, is replaced.
std::string comment(const std::string& given) {
  std::string text = replace_invalid_utf8(given);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return (c >= '\0' && c < ' ') || c == '\x7f'; }, '?');
  std::string lines = "#";
  std::size_t width = 1;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (width + 1 + (end - begin) > kCommentWidth) {
      lines += "\n#";
      width = 1;
    }
    lines += ' ';
    lines.append(text, begin, end - begin);
    width += 1 + end - begin;
    begin = end + 1;
  }
  return lines + "\n";
}

/// Writes settings under their tables.
class ProposalWriter {
 public:
  explicit ProposalWriter(const Config& config) : config_(config) {}

  void table(const std::string& name, const std::string& why = "") {
    text_ += fmt::format("\n[{}]\n", name);
    if (!why.empty()) text_ += comment(why);
    table_ = name;
  }
  void set(const std::string& leaf, const std::string& why = "") {
    const Key* key = find_key(fmt::format("{}.{}", table_, leaf));
    text_ += fmt::format("{} = {}{}\n", leaf, value_text(*key, config_), why.empty() ? "" : "  # " + why);
  }
  void say(const std::string& why) { text_ += comment(why); }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  const Config& config_;
  std::string table_, text_;
};

void write_training(const Config& c, const ProposalWords& words, ProposalWriter& page) {
  page.table("train", words.training);
  page.set("max_steps");
  page.set("batch_size", "windows of a step");
  page.set("seed", "another one gives another run");
  page.table("optimizer");
  page.set("learning_rate", "lower it when the loss jumps");
  page.set("beta2");
  page.set("weight_decay");
  page.table("schedule");
  page.set("name", "rises in the first steps, then falls to min_lr");
  page.set("warmup_steps");
  page.set("min_lr");
  page.table("eval");
  page.set("every_steps", "the checkpoint with the lowest validation loss is kept as `best`");
  if (c.eval.max_windows > 0)
    page.set("max_windows", "of the validation split, so that scoring takes little time; at the end all are scored");
  page.table("checkpoint");
  page.set("every_steps");
  page.table("sample");
  page.set("every_steps", "what the model writes meanwhile stands in samples.txt");
  if (!c.sample.prompt.empty()) page.set("prompt");
  page.set("max_tokens");
}

}  // namespace

std::string proposal_toml(const Config& c, const ProposalWords& words) {
  ProposalWriter page(c);
  page.say(fmt::format("{}: written by `minnow new`. Change what you like; `minnow plan` tells what it would take.",
                       words.name));
  page.say("");
  page.say(words.text);
  page.say(words.loss);
  page.table("data");
  page.set("path");
  if (c.data.text_field != "text") page.set("text_field", "the member of each line that holds the text");
  page.say(words.validation);
  page.set("val_fraction");
  if (!words.documents.empty()) page.say(words.documents);
  page.set("documents");
  if (c.data.documents != DocumentKind::kStream) page.set("packing");
  page.set("order");
  page.table("tokenizer", words.tokenizer);
  page.set("type");
  if (c.tokenizer.learns_counts()) page.set("vocab_size", "tokens at most; learned from the training text");
  if (!c.tokenizer.path.empty()) page.set("path");
  if (c.tokenizer.type == TokenizerKind::kChar) page.set("unknown", "what a prompt may hold that the text does not");
  page.table("model", words.model);
  page.set("n_layer", "depth");
  page.set("n_head", "heads of attention");
  page.set("n_embd", "width");
  page.set("block_size", "tokens that it sees at once");
  page.set("dropout", c.model.dropout > 0 ? "the text is read often: this keeps it from being learned by heart" : "");
  page.set("init");
  write_training(c, words, page);
  return page.take();
}

}  // namespace minnow
