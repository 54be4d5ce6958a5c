#include "minnow/text/load_tokenizer.hpp"

#include <fmt/format.h>

#include <array>

#include "minnow/base/error.hpp"
#include "minnow/base/mapped_file.hpp"
#include "minnow/text/bpe_tokenizer.hpp"
#include "minnow/text/sentencepiece_tokenizer.hpp"
#include "minnow/text/word_tokenizer.hpp"
#include "text/json_source.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;

/// What a .tiktoken file of a known name goes with. Source: tiktoken 0.14, tiktoken_ext/openai_public.py.
struct KnownRanks {
  std::string_view stem;
  SplitPattern pattern;
  std::vector<AddedToken> special;
};

std::vector<KnownRanks> known_ranks() {
  const AddedToken gpt2_end = {.id = 50256, .content = "<|endoftext|>"};
  return {{"cl100k_base",
           SplitPattern::kCl100k,
           {{.id = 100257, .content = "<|endoftext|>"},
            {.id = 100258, .content = "<|fim_prefix|>"},
            {.id = 100259, .content = "<|fim_middle|>"},
            {.id = 100260, .content = "<|fim_suffix|>"},
            {.id = 100276, .content = "<|endofprompt|>"}}},
          {"r50k_base", SplitPattern::kGpt2, {gpt2_end}},
          {"p50k_base", SplitPattern::kGpt2, {gpt2_end}},
          {"gpt2", SplitPattern::kGpt2, {gpt2_end}}};
}

bool stands(const fs::path& path) {
  std::error_code ignored;  // what is wrong with it is said when it is opened
  return fs::exists(path, ignored);
}

/// @return the first of the names that stands in the folder; the first name when none does.
fs::path one_of(const fs::path& folder, std::string_view name, std::string_view other) {
  return !stands(folder / name) && stands(folder / other) ? folder / other : folder / name;
}

std::shared_ptr<const Tokenizer> load_pair(const fs::path& folder) {
  const fs::path names = one_of(folder, "vocab.json", "encoder.json");
  const fs::path merges = one_of(folder, "merges.txt", "vocab.bpe");
  const MappedFile names_file = MappedFile::open(names, "tokenizer");
  const MappedFile merges_file = MappedFile::open(merges, "tokenizer");
  return std::make_shared<BpeTokenizer>(
      read_vocab_merges(names_file.text(), merges_file.text(), names.string(), merges.string()));
}

std::shared_ptr<const Tokenizer> load_ranks(const fs::path& path, std::optional<SplitPattern> pattern) {
  std::vector<AddedToken> special;
  for (KnownRanks& known : known_ranks()) {
    if (path.stem() != known.stem) continue;
    special = std::move(known.special);
    if (!pattern) pattern = known.pattern;
  }
  if (!pattern) {
    throw ConfigError(fmt::format(
        "[tokenizer] a .tiktoken file of this name needs the pattern that splits texts (gpt2, cl100k, llama3, qwen2 or "
        "none); got none for {}. Hint: tokenizer.pattern, or --pattern.",
        path.string()));
  }
  const MappedFile file = MappedFile::open(path, "tokenizer");
  return std::make_shared<BpeTokenizer>(read_tiktoken(file.text(), *pattern, std::move(special), path.string()));
}

/// Whether a BERT lowercases stands in the tokenizer_config.json beside its vocab.txt, if anywhere.
std::optional<bool> lowercase_beside(const fs::path& path) {
  const fs::path config = path.parent_path() / "tokenizer_config.json";
  if (!stands(config)) return std::nullopt;
  const JsonSource source(config.string());
  const MappedFile file = MappedFile::open(config, "tokenizer");
  const JsonSource::Json root = source.parse(file.text());
  if (!root.is_object() || !root.contains("do_lower_case")) return std::nullopt;
  return source.flag_of(root, "do_lower_case", true);
}

std::shared_ptr<const Tokenizer> load_word_pieces(const fs::path& path) {
  const MappedFile file = MappedFile::open(path, "tokenizer");
  return std::make_shared<WordTokenizer>(read_vocab_txt(file.text(), lowercase_beside(path), path.string()));
}

std::shared_ptr<const Tokenizer> load_sentencepiece(const fs::path& path) {
  const MappedFile file = MappedFile::open(path, "tokenizer");
  return std::make_shared<SentencePieceTokenizer>(std::string(file.text()), path.string());
}

std::shared_ptr<const Tokenizer> load_any(const fs::path& path, std::optional<SplitPattern> pattern) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    if (stands(path / "tokenizer.json")) return load_any(path / "tokenizer.json", pattern);
    if (stands(one_of(path, "vocab.json", "encoder.json"))) return load_pair(path);
    for (const char* model : {"tokenizer.model", "spiece.model", "sentencepiece.bpe.model"}) {
      if (stands(path / model)) return load_sentencepiece(path / model);
    }
    if (stands(path / "vocab.txt")) return load_word_pieces(path / "vocab.txt");
    throw DataError(
        fmt::format("[tokenizer] a folder must hold a tokenizer.json, vocab.json and merges.txt, tokenizer.model or "
                    "vocab.txt; {} has "
                    "none of them.",
                    path.string()));
  }
  const fs::path name = path.filename();
  if (name == "vocab.json" || name == "encoder.json" || name == "merges.txt" || name == "vocab.bpe") {
    return load_pair(path.parent_path());
  }
  if (path.extension() == ".tiktoken") return load_ranks(path, pattern);
  if (path.extension() == ".model") return load_sentencepiece(path);
  if (path.extension() == ".txt") return load_word_pieces(path);
  const MappedFile file = MappedFile::open(path, "tokenizer");
  return Tokenizer::from_json(file.text(), path.string());
}

}  // namespace

std::shared_ptr<const Tokenizer> load_tokenizer(const fs::path& path, std::optional<SplitPattern> pattern) {
  auto tokenizer = load_any(path, pattern);
  const auto* const bpe = dynamic_cast<const BpeTokenizer*>(tokenizer.get());
  if (pattern && bpe != nullptr && bpe->model().pattern != *pattern) {
    throw ConfigError(
        fmt::format("[tokenizer] the pattern must be the one that {} has, {}; got {}. Hint: leave it out.",
                    path.string(), split_name(bpe->model().pattern), split_name(*pattern)));
  }
  return tokenizer;
}

}  // namespace minnow
