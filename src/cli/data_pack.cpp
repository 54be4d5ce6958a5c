/// @file
/// `minnow data pack`: turns texts of any size into token files.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/data_verbs.hpp"
#include "cli/human.hpp"
#include "cli/json_line.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "cli/standard_input.hpp"
#include "cli/terminal.hpp"
#include "cli/text_paths.hpp"
#include "cli/tokenizer_source.hpp"
#include "cli/use_threads.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/file.hpp"
#include "minnow/tasks/pack.hpp"

namespace minnow::cli {
namespace {

struct PackArguments {
  std::vector<std::string> paths;
  std::string tokenizer, out, documents = "auto", format = "minnow", field = "text", unknown = "error",
                              stdin_is = "text";
  std::int64_t threads = 0, shard_tokens = std::int64_t{1} << 25;
  bool overwrite = false, json = false;
};

/// Documents where the tokenizer has a boundary to put between them.
Documents documents_of(const PackArguments& arguments, const Tokenizer& tokenizer) {
  if (arguments.documents == "lines") return Documents::kLines;
  if (arguments.documents == "files") return Documents::kFiles;
  if (arguments.documents == "stream") return Documents::kStream;
  return tokenizer.boundary_id() ? Documents::kFiles : Documents::kStream;
}

void print_packed(const PackResult& result, const PackArguments& arguments, const Tokenizer& tokenizer) {
  if (arguments.json) {
    print_result(json_line({{"out", arguments.out},
                            {"format", arguments.format},
                            {"vocab_size", tokenizer.vocab_size()},
                            {"shards", result.shards},
                            {"resumed_shards", result.resumed_shards},
                            {"tokens", result.tokens},
                            {"documents", result.documents},
                            {"text_bytes", result.text_bytes},
                            {"unknown_characters", result.unknown}}));
    return;
  }
  std::string text = fmt::format("{}: {} tokens", printable(arguments.out), grouped(result.tokens));
  if (result.documents > 0) text += fmt::format(", {} documents", grouped(result.documents));
  if (arguments.format == "minnow")
    text += fmt::format(", {} shard{}", grouped(result.shards), result.shards == 1 ? "" : "s");
  text += fmt::format(
      "; {} bytes of text, {:.2f} bytes per token ({}-level vocabulary of {})\n", grouped(result.text_bytes),
      static_cast<double>(result.text_bytes) / static_cast<double>(std::max<std::int64_t>(result.tokens, 1)),
      tokenizer.name(), grouped(tokenizer.vocab_size()));
  print_result(text);
}

void tell_what_stays(std::int64_t shards, const PackArguments& arguments) {
  if (shards == 0) return print_line("stopped before the first shard was finished: nothing stays");
  print_line(fmt::format("stopped; {} finished shard{} stay{}: the same command{} goes on behind {}", grouped(shards),
                         shards == 1 ? "" : "s", shards == 1 ? "s" : "",
                         arguments.overwrite ? " without --overwrite" : "", shards == 1 ? "it" : "them"));
}

void require_free_output(const PackArguments& arguments) {
  if (arguments.format == "minnow" || arguments.overwrite || !path_exists(arguments.out)) return;
  throw ConfigError(
      fmt::format("[data] --out must be free; {} is there. Hint: --overwrite replaces it", arguments.out));
}

PackOptions pack_options(const PackArguments& arguments, bool single) {
  PackOptions options;
  options.files = text_paths(arguments.paths);
  options.text_field = arguments.field;
  options.input_is_jsonl = arguments.stdin_is == "jsonl";
  options.tokenizer =
      find_tokenizer(arguments.tokenizer, options.files, arguments.field, arguments.documents != "stream");
  options.documents = documents_of(arguments, *options.tokenizer);
  options.unknown = arguments.unknown == "replace" ? UnknownCharacter::kReplace : UnknownCharacter::kError;
  options.folder = single ? arguments.out + ".shards" : arguments.out;
  options.overwrite = arguments.overwrite;
  options.shard_tokens = arguments.shard_tokens;
  return options;
}

int pack(const PackArguments& arguments) {
  use_threads(arguments.threads);
  const bool single = arguments.format != "minnow";  // one file, made of shards beside it
  require_free_output(arguments);
  PackOptions options = pack_options(arguments, single);
  const TokenFormat format = arguments.format == "llmc" ? TokenFormat::kLlmc : TokenFormat::kNanogpt;
  if (single) check_export_name(format, options.tokenizer->vocab_size(), arguments.out);
  install_stop_signals();
  if (std::find(options.files.begin(), options.files.end(), std::filesystem::path(kInputWord)) != options.files.end())
    note_terminal_input();
  constexpr double kSilentSeconds = 1;
  ProgressLine line = ProgressLine::on_stderr(bytes_of_paths(options.files), 0, "byte", kSilentSeconds);
  options.progress = [&](std::uint64_t bytes, std::int64_t tokens) {
    line.update(static_cast<std::int64_t>(bytes), fmt::format("{} tokens", human_count(static_cast<double>(tokens))));
  };
  options.interrupted = [] { return stop_signal().load() != 0; };
  options.stays = [&](std::int64_t shards) {
    line.finish();
    tell_what_stays(shards, arguments);
  };
  const PackResult result = pack_texts(options);
  line.finish();
  if (!result.finished) {
    tell_what_stays(result.shards, arguments);
    return stop_exit_code();
  }
  if (result.resumed_shards > 0)
    print_line(fmt::format("went on behind {} shards that were there", grouped(result.resumed_shards)));
  if (single) {
    export_tokens(options.folder, format, arguments.out);
    remove_packed(options.folder);
  }
  print_packed(result, arguments, *options.tokenizer);
  if (result.unknown > 0) {
    UnknownText unknown;
    unknown.characters = result.unknown;
    print_line(describe_unknown(unknown, *options.tokenizer) + "; no byte above counts them");
  }
  return 0;
}

}  // namespace

Action setup_data_pack(Options& options) {
  const auto arguments = std::make_shared<PackArguments>();
  options.arguments("PATH", arguments->paths,
                    "Texts: .txt, .jsonl, these as .zst, folders of them (sub-folders too), - for standard input");
  options.text("--tokenizer", arguments->tokenizer,
               "char, byte, a tokenizer.json, or the directory of a run or data set (required)");
  options.text("--out", arguments->out, "Folder of the data set, or the file of another format (required)");
  options.choice("--format", arguments->format, {"minnow", "nanogpt", "llmc"}, "What is written");
  options.choice("--documents", arguments->documents, {"auto", "files", "lines", "stream"},
                 "One document a file (or .jsonl line), a line, or none; auto = files if the tokenizer has a boundary");
  options.text("--text-field", arguments->field, "The member of a .jsonl line that holds the text");
  options.choice("--stdin", arguments->stdin_is, {"text", "jsonl"}, "What standard input holds");
  options.choice("--unknown", arguments->unknown, {"error", "replace"},
                 "What becomes of a character that the tokenizer does not have");
  constexpr std::int64_t kMostShardTokens = std::int64_t{1} << 33;
  options.integer("--shard-tokens", arguments->shard_tokens, "Tokens of a shard; one is held in memory", 1,
                  kMostShardTokens);
  threads_option(options, arguments->threads);
  options.flag("--overwrite", arguments->overwrite, "Replace what is there");
  options.flag("--json", arguments->json, "Write JSON to stdout");
  options.footer(
      "data.path = OUT trains on what is written: it is mapped, never loaded, and brings its tokenizer. Each shard is\n"
      "written whole or not at all; after a stop or a kill the same command goes on behind the last whole one, if the\n"
      "texts are still the same. Memory does not grow with the texts.\n"
      "Examples:\n  minnow data pack books/ --tokenizer char --out data/books\n"
      "  zstd -dc big.jsonl.zst | minnow data pack - --stdin jsonl --tokenizer byte --out data/big\n"
      "  minnow data pack my.txt --tokenizer runs/my --format nanogpt --out train.bin\n");
  return [arguments] {
    for (const auto& [name, value] : {std::pair("--tokenizer", &arguments->tokenizer), {"--out", &arguments->out}}) {
      if (value->empty())
        throw ConfigError(fmt::format("[minnow data pack] {} is required. Hint: `minnow help data pack`", name));
    }
    return pack(*arguments);
  };
}

}  // namespace minnow::cli
