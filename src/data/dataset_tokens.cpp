#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "data/dataset_parts.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/sha256.hpp"
#include "minnow/data/packed.hpp"
#include "minnow/data/token_file.hpp"
#include "minnow/text/byte_tokenizer.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;

// nanoGPT takes this vocabulary for files that say nothing of theirs: GPT-2's.
constexpr std::int64_t kGpt2Vocabulary = 50257;

TokenFormat token_format(FileFormat format) {
  if (format == FileFormat::kNanogpt) return TokenFormat::kNanogpt;
  if (format == FileFormat::kLlmc) return TokenFormat::kLlmc;
  return TokenFormat::kAuto;
}

bool named_validation(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("val.") || name.starts_with("val_") || name.find("_val_") != std::string::npos ||
         name.find("_val.") != std::string::npos;
}

std::vector<fs::path> token_files(const std::string& path) {
  std::error_code code;
  if (!fs::is_directory(path, code)) return {path};
  std::vector<fs::path> files = list_files(path, ".bin");
  if (files.empty())
    throw DataError(fmt::format("[data] a folder of token files must hold .bin files; {} has none.", path));
  const auto validation = std::count_if(files.begin(), files.end(), named_validation);
  if (validation > 0 && validation < static_cast<std::ptrdiff_t>(files.size())) {
    throw ConfigError(fmt::format(
        "[data] the files of a folder are read as one stream; {} holds both training and validation files by their "
        "names. Hint: data.split = \"file\", with one file or folder as data.path and the other as "
        "data.val_path.",
        path));
  }
  return files;
}

struct NamedFile {
  std::string name;
  std::shared_ptr<const MappedFile> file;
};

std::vector<NamedFile> map_all(const std::string& path, DataFingerprint& fingerprint) {
  std::vector<NamedFile> files;
  for (const fs::path& name : token_files(path)) {
    auto file = std::make_shared<const MappedFile>(MappedFile::open(name, "data"));
    fingerprint.files.push_back({name.string(), file->size(), sha256_hex(file->bytes())});
    files.push_back({name.string(), std::move(file)});
  }
  return files;
}

TokenStore tokens_of(std::vector<NamedFile> files, FileFormat format) {
  std::vector<TokenStore::Part> parts;
  for (NamedFile& one : files) {
    const TokenFileInfo info = parse_token_file(one.file->bytes(), token_format(format), one.name);
    parts.push_back({std::move(one.file), info.byte_offset, info.count, info.width});
  }
  return TokenStore::from_files(std::move(parts));
}

void check_ids(const TokenStore& tokens, std::int64_t vocab_size, const std::string& path) {
  const std::int64_t bad = tokens.find_outside(vocab_size);
  if (bad == tokens.size()) return;
  throw DataError(
      fmt::format("[data] every token id must be in 0 .. {} (vocabulary of {}); {} has the id {} at token {}. Hint: "
                  "set model.vocab_size, or check that the file was made with this tokenizer.",
                  vocab_size - 1, vocab_size, path, static_cast<std::uint32_t>(tokens.at(bad)), bad));
}

std::int64_t bytes_of(const TokenStore& tokens, const Tokenizer* tokenizer) {
  return tokenizer == nullptr ? 0 : text_bytes_of(tokens, *tokenizer);
}

void check_options(const DatasetOptions& options) {
  if (options.documents != Documents::kStream) {
    throw ConfigError("[data] token files are one stream of ids; set data.documents = \"stream\".");
  }
  if (options.split == SplitRule::kEveryNth) {
    throw ConfigError("[data] token files can be split by fraction or by file; set data.split accordingly.");
  }
  if (!options.stored && has_files(options.tokenizer) && options.bpe.path.empty()) {
    throw ConfigError(
        fmt::format("[data] a token file holds ids, so no tokenizer can be learned from it: {}. Hint: tokenizer.path "
                    "names the tokenizer that made it, or set tokenizer.type = \"none\".",
                    options.path));
  }
  if (!options.stored && options.tokenizer == TokenizerChoice::kChar) {
    throw ConfigError(
        fmt::format("[data] a token file holds ids, so no character vocabulary can be built from it: {}. Hint: "
                    "set tokenizer.type = \"none\".",
                    options.path));
  }
}

}  // namespace

OpenedData open_token_data(const DatasetOptions& options) {
  check_options(options);
  OpenedData data;
  data.tokenizer = options.stored;
  if (!data.tokenizer && options.tokenizer == TokenizerChoice::kByte)
    data.tokenizer = std::make_shared<ByteTokenizer>();
  if (!data.tokenizer && has_files(options.tokenizer)) data.tokenizer = load_chosen(options);
  data.vocab_size = options.vocab_size > 0 ? options.vocab_size : kGpt2Vocabulary;
  if (data.tokenizer) data.vocab_size = data.tokenizer->vocab_size();

  std::vector<NamedFile> files = map_all(options.path, data.fingerprint);
  std::vector<NamedFile> validation;
  if (options.split == SplitRule::kFile) validation = map_all(options.val_path, data.fingerprint);
  if (options.files_read) options.files_read(data.fingerprint);
  const TokenStore tokens = tokens_of(std::move(files), options.format);
  check_ids(tokens, data.vocab_size, options.path);
  if (options.split == SplitRule::kFile) {
    data.train.tokens = tokens;
    data.val.tokens = tokens_of(std::move(validation), options.format);
    check_ids(data.val.tokens, data.vocab_size, options.val_path);
  } else if (options.split == SplitRule::kScore) {
    data.train.tokens = data.val.tokens = tokens;
  } else {
    const double fraction = options.split == SplitRule::kNone ? 0.0 : options.val_fraction;
    const std::int64_t border = training_part(tokens.size(), fraction);
    data.train.tokens = tokens.slice(0, border);
    data.val.tokens = tokens.slice(border, tokens.size() - border);
  }
  data.train.bytes = bytes_of(data.train.tokens, data.tokenizer.get());
  data.val.bytes = bytes_of(data.val.tokens, data.tokenizer.get());
  return data;
}

}  // namespace minnow
