/// @file
/// `minnow tokenizer`: learns tokenizers, and shows what they make of text.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/given_texts.hpp"
#include "cli/human.hpp"
#include "cli/json_line.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "cli/tokenizer_arguments.hpp"
#include "cli/tokenizer_view.hpp"
#include "cli/use_threads.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/file.hpp"
#include "minnow/text/bpe_tokenizer.hpp"
#include "minnow/text/bpe_trainer.hpp"
#include "minnow/text/word_tokenizer.hpp"
#include "minnow/text/word_trainer.hpp"

namespace minnow::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// @return whether --out names a folder, into which all files go.
bool names_folder(const std::string& out) {
  std::error_code ignored;
  return out.ends_with('/') || fs::is_directory(out, ignored);
}

std::string in_folder(const std::string& out, const char* name) { return (fs::path(out) / name).string(); }

/// Learning takes a while: what cannot be written is said before.
void require_free_tokenizer(const std::string& out, bool overwrite) {
  if (!names_folder(out)) return require_free_output(out, overwrite);
  for (const char* const name : {"tokenizer.json", "vocab.json", "merges.txt", "vocab.txt"})
    require_free_output(in_folder(out, name), overwrite);
}

/// Into a folder go tokenizer.json and, when they can hold the tokenizer, vocab.json and merges.txt or vocab.txt as
/// well.
void write_tokenizer(const Tokenizer& tokenizer, const std::string& out, bool overwrite) {
  require_free_tokenizer(out, overwrite);
  if (!names_folder(out)) return write_output(out, tokenizer.to_json(), overwrite);
  make_directories(out);
  write_output(in_folder(out, "tokenizer.json"), tokenizer.to_json(), overwrite);
  const auto* const words = dynamic_cast<const WordTokenizer*>(&tokenizer);
  if (words != nullptr && words->model().word_pieces) {
    write_output(in_folder(out, "vocab.txt"), write_vocab_txt(words->model()), overwrite);
  }
  const auto* const bpe = dynamic_cast<const BpeTokenizer*>(&tokenizer);
  if (bpe == nullptr || bpe->model().pattern != SplitPattern::kGpt2) return;
  write_output(in_folder(out, "vocab.json"), write_vocab_json(bpe->model()), overwrite);
  write_output(in_folder(out, "merges.txt"), write_merges_txt(bpe->model()), overwrite);
}

std::shared_ptr<const Tokenizer> learn(const TokenizerArguments& arguments, std::span<const std::string_view> texts) {
  const auto settle = [&](auto& training) {
    training.vocab_size = arguments.vocab_size;
    training.min_frequency = arguments.min_frequency;
    training.special = arguments.special;
    if (!arguments.pattern.empty()) training.pattern = *split_named(arguments.pattern);
  };
  ProgressLine line = ProgressLine::on_stderr(200, 0, "", 2);
  const auto progress = [&](int stage, double share) {
    line.update(100 * stage + static_cast<std::int64_t>(100 * share), stage == 0 ? "counting words" : "merging");
  };
  std::shared_ptr<const Tokenizer> tokenizer;
  if (arguments.type == "bpe") {
    BpeTraining training;
    settle(training);
    training.progress = progress;
    tokenizer = std::make_shared<BpeTokenizer>(train_bpe(texts, training));
  } else {
    WordTraining training;
    settle(training);
    training.progress = progress;
    training.lowercase = !arguments.cased;
    tokenizer = std::make_shared<WordTokenizer>(arguments.type == "word" ? train_words(texts, training)
                                                                         : train_word_pieces(texts, training));
  }
  line.finish();
  return tokenizer;
}

GivenTexts texts_of(const TokenizerArguments& arguments, const std::vector<std::string>& paths) {
  return read_given_texts(paths, arguments.field, arguments.stdin_is == "jsonl");
}

int train_tokenizer(const TokenizerArguments& arguments) {
  if (arguments.type == "wordpiece" && !arguments.pattern.empty()) {
    throw ConfigError("[tokenizer train] --pattern must not be given with --type wordpiece, which cuts as BERT does");
  }
  if (arguments.type != "wordpiece" && arguments.cased) {
    throw ConfigError("[tokenizer train] --cased must come with --type wordpiece: other tokenizers keep capitals");
  }
  require_free_tokenizer(arguments.out, arguments.overwrite);
  use_threads(arguments.threads);
  const GivenTexts given = texts_of(arguments, arguments.paths);
  const std::shared_ptr<const Tokenizer> learned = learn(arguments, given.texts);
  const Tokenizer& tokenizer = *learned;
  given.check_unchanged();
  write_tokenizer(tokenizer, arguments.out, arguments.overwrite);
  print_line(fmt::format("{} tokens from {}", grouped(tokenizer.vocab_size()),
                         human_bytes(static_cast<std::uint64_t>(given.bytes))));
  if (tokenizer.vocab_size() < arguments.vocab_size) {
    print_line(fmt::format("No more than that: every other {} is rarer than --min-frequency {}.",
                           tokenizer.name() == "word" ? "word" : "pair", arguments.min_frequency));
  }
  return 0;
}

int convert_tokenizer(const TokenizerArguments& arguments) {
  write_tokenizer(*tokenizer_at(arguments.path, arguments.pattern), arguments.out, arguments.overwrite);
  return 0;
}

Json use_json(const TextUse& use, const std::string& data) {
  return {{"data", data},
          {"bytes", use.bytes},
          {"characters", use.characters},
          {"tokens", use.tokens},
          {"used", use.used},
          {"unused", use.unused},
          {"bytes_per_token", use.bytes_per_token()}};
}

std::string info_text(const Tokenizer& tokenizer, const std::string& path, const Json& facts) {
  std::string text =
      fmt::format("{}: {} tokens, {}", printable(path), grouped(tokenizer.vocab_size()), described(tokenizer));
  if (facts.contains("merges")) {
    text += fmt::format(" ({} merges, pattern {})", grouped(facts["merges"].get<std::int64_t>()),
                        facts["pattern"].get<std::string>());
  }
  text += "\n";
  if (facts.contains("gaps") && facts["gaps"] != 0) {
    text += fmt::format("ids without a token: {}\n", facts["gaps"].get<std::int64_t>());
  }
  for (const Json& token : facts.value("added", Json::array())) {
    text += fmt::format("{} {}: {}\n", token["special"].get<bool>() ? "special" : "added", token["id"].get<int>(),
                        printable(token["content"].get<std::string>()));
  }
  if (const auto boundary = tokenizer.boundary_id()) {
    text += fmt::format("between documents: {} ({})\n", *boundary, printable(tokenizer.piece_of(*boundary)));
  }
  return text + fmt::format("longest: {} ({} bytes)\n", printable(facts["longest"]["piece"].get<std::string>()),
                            facts["longest"]["bytes"].get<std::int64_t>());
}

int show_info(const TokenizerArguments& arguments) {
  use_threads(arguments.threads);
  const auto tokenizer = tokenizer_at(arguments.path, arguments.pattern);
  Json facts = tokenizer_facts(*tokenizer);
  std::string text = info_text(*tokenizer, arguments.path, facts);
  if (!arguments.data.empty()) {
    const GivenTexts given = texts_of(arguments, {arguments.data});
    const TextUse use = use_of(*tokenizer, given.texts);
    given.check_unchanged();
    facts["text"] = use_json(use, arguments.data);
    facts["text"]["unused_ids"] = use.unused_ids;
    text +=
        fmt::format("{}: {} bytes are {} tokens, {:.3f} bytes a token; {} tokens unused\n", printable(arguments.data),
                    grouped(use.bytes), grouped(use.tokens), use.bytes_per_token(), grouped(use.unused));
  }
  print_result(arguments.json ? json_line(facts) : text);
  return 0;
}

int compare_tokenizers(const TokenizerArguments& arguments) {
  if (arguments.data.empty()) {
    throw ConfigError("[tokenizer compare] --data must name a text. Hint: --data text.txt");
  }
  use_threads(arguments.threads);
  const GivenTexts given = texts_of(arguments, {arguments.data});
  Json rows = Json::array();
  std::string text = fmt::format("{:>10} {:>12} {:>12} {:>12} {:>10} {:>8}  {}\n", "vocabulary", "tokens",
                                 "bytes/token", "chars/token", "unused", "MB/s", "tokenizer");
  for (const std::string& path : arguments.paths) {
    const auto tokenizer = tokenizer_at(path, "");
    const TextUse use = use_of(*tokenizer, given.texts, true);
    Json row = {{"tokenizer", path}, {"kind", tokenizer->name()}, {"vocabulary", tokenizer->vocab_size()}};
    row.update(use_json(use, arguments.data));
    row["seconds"] = use.seconds;
    rows.push_back(row);
    const double characters =
        use.tokens == 0 ? 0 : static_cast<double>(use.characters) / static_cast<double>(use.tokens);
    text += fmt::format("{:>10} {:>12} {:>12.3f} {:>12.3f} {:>10} {:>8.1f}  {}\n", grouped(tokenizer->vocab_size()),
                        grouped(use.tokens), use.bytes_per_token(), characters, grouped(use.unused),
                        1e-6 * static_cast<double>(use.bytes) / use.seconds, printable(path));
  }
  given.check_unchanged();
  print_result(arguments.json ? json_line(rows) : text);
  return 0;
}

constexpr const char* kTokenizerDoc =
    "tokenizer.json, vocab.json (with merges.txt), vocab.txt, .tiktoken or SentencePiece .model file, or the folder of "
    "one, such as a run";

void pattern_option(Options& command, TokenizerArguments& a, const char* doc) {
  command.choice("--pattern", a.pattern, {"gpt2", "cl100k", "llama3", "qwen2", "none"}, doc);
}

constexpr const char* kTextsDoc =
    "Texts: .txt, .jsonl, these as .zst, folders of them (sub-folders too), - for standard input";

void texts_options(Options& command, TokenizerArguments& a) {
  command.text("--text-field", a.field, "The member of a .jsonl line that holds the text");
  command.choice("--stdin", a.stdin_is, {"text", "jsonl"}, "What standard input holds");
}

/// Adds a command whose action gets the arguments that `declare` bound.
void add_tokenizer_command(Options& options, const std::string& name, const std::string& doc,
                           int (*run)(const TokenizerArguments&), void (*declare)(Options&, TokenizerArguments&)) {
  options.command(name, doc, [&](Options& command) -> Action {
    const auto arguments = std::make_shared<TokenizerArguments>();
    declare(command, *arguments);
    return [arguments, run] { return run(*arguments); };
  });
}

void declare_train(Options& command, TokenizerArguments& a) {
  command.arguments("PATHS", a.paths, kTextsDoc);
  texts_options(command, a);
  a.out = "tokenizer.json";
  command.text("-o,--out", a.out, "File to write; a folder (NAME/) gets vocab.json and merges.txt, too; - = stdout");
  overwrite_option(command, a.overwrite);
  command.choice("--type", a.type, {"bpe", "word", "wordpiece"},
                 "Byte pairs (bpe), whole words, or pieces of words as BERT has them");
  command.integer("--vocab-size", a.vocab_size, "Tokens at most", 2, INT32_MAX);
  command.integer("--min-frequency", a.min_frequency, "Rarer pairs do not merge, rarer words are no tokens", 1,
                  INT64_MAX);
  command.flag("--cased", a.cased, "Pieces of words: keep capitals and accents");
  command.texts("--special", a.special, "Token that no text spells, such as <|endoftext|>; may be repeated");
  pattern_option(command, a, "How text is cut into words, or pieces within which bytes merge; without it gpt2");
  threads_option(command, a.threads);
}

void declare_encode(Options& command, TokenizerArguments& a) {
  command.argument("TOKENIZER", a.path, kTokenizerDoc);
  command.argument("TEXT", a.text, "Text to encode; - = stdin", false);
  command.text("--text-file", a.source.file, "File to encode");
  command.flag("--pieces", a.pieces, "Write the pieces instead of ids: coloured in a terminal, else each in []");
  command.flag("-0,--null", a.parted, "Several texts, each ended by a NUL byte: a line of ids for each");
  command.flag("--special", a.marked, "Special tokens in the text stand for themselves");
  command.flag("--frame", a.framed, "Add what the tokenizer puts around a text: BERT's [CLS] and [SEP]");
  command.choice("--unknown", a.unknown, {"error", "replace"},
                 "What becomes of what the vocabulary lacks; without it words are replaced, characters an error");
  command.flag("--json", a.json, "Write JSON to stdout");
  pattern_option(command, a, "How a .tiktoken file of unknown name cuts text");
}

void declare_decode(Options& command, TokenizerArguments& a) {
  command.argument("TOKENIZER", a.path, kTokenizerDoc);
  command.arguments("IDS", a.ids, "Ids, parted by blanks or commas; without them, or with -, from stdin", false);
  command.flag("--json", a.json, "Write JSON to stdout");
  pattern_option(command, a, "How a .tiktoken file of unknown name cuts text");
}

void declare_info(Options& command, TokenizerArguments& a) {
  command.argument("TOKENIZER", a.path, kTokenizerDoc);
  command.text("--data", a.data, "Text, folder, or -: bytes per token, and tokens that it does not use");
  texts_options(command, a);
  command.flag("--json", a.json, "Write JSON to stdout");
  pattern_option(command, a, "How a .tiktoken file of unknown name cuts text");
  threads_option(command, a.threads);
}

Action setup_tokenizer(Options& options) {
  add_tokenizer_command(options, "train", "Learn a tokenizer from texts", train_tokenizer, declare_train);
  add_tokenizer_command(options, "encode", "Turn a text into ids", encode_text, declare_encode);
  add_tokenizer_command(options, "decode", "Turn ids into text", decode_ids, declare_decode);
  add_tokenizer_command(options, "info", "Show what a tokenizer is, and how it does on a text", show_info,
                        declare_info);
  add_tokenizer_command(options, "compare", "Compare tokenizers on a text", compare_tokenizers,
                        [](Options& command, TokenizerArguments& a) {
                          command.arguments("TOKENIZERS", a.paths, kTokenizerDoc);
                          command.text("--data", a.data, "Text to compare them on, folder, or -; must be given");
                          texts_options(command, a);
                          command.flag("--json", a.json, "Write JSON to stdout");
                          threads_option(command, a.threads);
                        });
  add_tokenizer_command(
      options, "convert", "Write a tokenizer as tokenizer.json, or as all files that transformers reads",
      convert_tokenizer, [](Options& command, TokenizerArguments& a) {
        command.argument("TOKENIZER", a.path, kTokenizerDoc);
        a.out = "tokenizer.json";
        command.text("-o,--out", a.out, "File to write; a folder (NAME/) gets vocab.json and merges.txt, too");
        overwrite_option(command, a.overwrite);
        pattern_option(command, a, "How a .tiktoken file of unknown name cuts text");
      });
  options.footer(
      "Examples:\n  minnow tokenizer train text.txt --vocab-size 1024 --special '<|endoftext|>' --out tokenizer.json\n"
      "  minnow tokenizer encode tokenizer.json \"Hello world\" --pieces\n"
      "  minnow tokenizer compare runs/tour tokenizer.json --data text.txt\n"
      "  minnow train run.toml --set tokenizer.type=bpe --set tokenizer.path=tokenizer.json\n");
  return {};
}

}  // namespace

const Verb kVerbTokenizer = {"tokenizer", "Learn tokenizers, and see what they make of text", "Data", setup_tokenizer};

}  // namespace minnow::cli
