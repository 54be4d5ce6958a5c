#include "cli/tokenizer_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "minnow/base/error.hpp"
#include "minnow/data/text_reader.hpp"
#include "minnow/io/checkpoint.hpp"
#include "minnow/io/file.hpp"
#include "minnow/text/byte_tokenizer.hpp"
#include "minnow/text/char_tokenizer.hpp"
#include "minnow/text/load_tokenizer.hpp"

namespace minnow::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTokenizerJson = "tokenizer.json";

std::shared_ptr<const Tokenizer> characters_of(const std::vector<fs::path>& files, const std::string& field,
                                               bool boundary) {
  if (std::find(files.begin(), files.end(), fs::path("-")) != files.end()) {
    throw ConfigError(
        "[data] --tokenizer char must read the text before it is encoded; standard input is there once. Hint: "
        "--tokenizer byte, or a tokenizer.json");
  }
  CharTokenizer::Builder builder;
  TextReader reader(files, {.field = field});
  for (TextPiece piece; reader.next(piece);) builder.add(piece.text);
  return builder.build(boundary);
}

}  // namespace

std::shared_ptr<const Tokenizer> find_tokenizer(const std::string& name, const std::vector<fs::path>& files,
                                                const std::string& field, bool boundary) {
  if (name == "byte") return std::make_shared<ByteTokenizer>(boundary);
  if (name == "char") return characters_of(files, field, boundary);
  std::error_code ignored;
  if (!fs::exists(name, ignored)) {
    throw ConfigError(fmt::format(
        "[data] --tokenizer must be char, byte, a tokenizer's file or a run; got {}, which is not there", name));
  }
  if (!fs::is_directory(name, ignored)) return load_tokenizer(name);
  const auto holds = [&](const char* file) { return path_exists(fs::path(name) / file); };
  for (const char* file : {kTokenizerJson, "vocab.json", "encoder.json", "tokenizer.model", "vocab.txt"}) {
    if (holds(file)) return load_tokenizer(name);
  }
  std::vector<std::string> warnings;
  const auto checkpoint = list_checkpoints(name).empty() ? std::nullopt : open_newest_valid(name, warnings);
  if (!checkpoint || !checkpoint->has(kTokenizerJson)) {
    throw ConfigError(fmt::format("[data] --tokenizer must name a folder with a tokenizer; {} has none", name));
  }
  return Tokenizer::from_json(checkpoint->read(kTokenizerJson), (checkpoint->directory() / kTokenizerJson).string());
}

}  // namespace minnow::cli
