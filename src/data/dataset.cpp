#include "minnow/data/dataset.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <system_error>

#include "data/byte_stream.hpp"
#include "data/corpus_files.hpp"
#include "data/dataset_parts.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/data/dialogue_corpus.hpp"
#include "minnow/data/shard.hpp"

namespace minnow {

std::int64_t training_part(std::int64_t count, double fraction) {
  return static_cast<std::int64_t>(std::floor(static_cast<double>(count) * (1.0 - fraction)));
}

namespace {

void require(bool holds, const std::string& text) {
  if (!holds) throw ConfigError("[data] " + text);
}

void check_options(const DatasetOptions& options) {
  require(!options.path.empty(), "data.path must be given: a file, a folder or \"builtin\".");
  require(
      options.path != kStandardInput && options.val_path != kStandardInput,
      "what is read here must be a file or folder: standard input (-) is there once. Hint: `minnow train --data -`, "
      "`minnow new --text -` and `minnow data pack -` keep what they read.");
  require(options.loader.batch_size >= 1,
          fmt::format("batch_size must be at least 1; got {}.", options.loader.batch_size));
  require(options.loader.block_size >= 1,
          fmt::format("block_size must be at least 1; got {}.", options.loader.block_size));
  require(!options.text_field.empty(), "data.text_field must name a member of the .jsonl lines; it is empty.");
  const bool by_file = options.split == SplitRule::kFile;
  require(!by_file || !options.val_path.empty(), "data.split = \"file\" needs data.val_path.");
  require(by_file || options.val_path.empty(), "data.val_path is only read with data.split = \"file\".");
  if (options.split == SplitRule::kFraction) {
    require(options.val_fraction > 0.0 && options.val_fraction < 1.0,
            fmt::format("data.val_fraction must be above 0 and below 1; got {}.", options.val_fraction));
  }
  if (options.split == SplitRule::kEveryNth) {
    require(options.documents != Documents::kStream,
            "data.split = \"every_nth\" takes whole documents; a stream has none. Hint: data.documents = \"lines\" or "
            "\"files\".");
    require(options.val_every >= 2, fmt::format("data.val_every must be at least 2; got {}.", options.val_every));
    require(options.val_offset >= 0 && options.val_offset < options.val_every,
            fmt::format("data.val_offset must be in 0 .. {}; got {}.", options.val_every - 1, options.val_offset));
  }
}

bool is_packed(const std::string& path, FileFormat format) {
  return format == FileFormat::kAuto && !names_builtin(path) && is_packed_folder(path);
}

bool is_token_data(const std::string& path, FileFormat format) {
  if (format != FileFormat::kAuto) return format != FileFormat::kText;
  if (names_builtin(path)) return false;
  std::error_code code;
  if (!std::filesystem::is_directory(path, code)) return path.ends_with(".bin");
  return list_text_files(path).empty() && !list_files(path, ".bin").empty();
}

SplitFacts facts_of(const SplitTokens& split, const WindowSet& windows, const Tokenizer* tokenizer) {
  SplitFacts facts;
  facts.tokens = split.tokens.size();
  facts.documents =
      split.documents.empty() ? (facts.tokens > 0 ? 1 : 0) : static_cast<std::int64_t>(split.documents.size());
  facts.windows = windows.count();
  facts.targets = windows.total_length();
  if (tokenizer == nullptr || tokenizer->keeps_text()) facts.bytes = split.bytes;
  facts.unknown = split.unknown;
  return facts;
}

WindowSet windows_of(const SplitTokens& split, const DatasetOptions& options, bool training) {
  const std::int64_t block = options.loader.block_size;
  if (options.documents != Documents::kStream) {
    // In evaluation each document stands by itself, whatever training does.
    return WindowSet::of_documents(split.documents, block, training ? options.packing : Packing::kPad);
  }
  return training ? WindowSet::of_full_blocks(split.tokens.size(), block)
                  : WindowSet::of_stream(split.tokens.size(), block);
}

void check_sizes(const OpenedData& data, const WindowSet& train, const WindowSet& val, const DatasetOptions& options) {
  const std::int64_t have = data.train.tokens.size();
  const std::int64_t all = have + data.val.tokens.size();
  if (options.split == SplitRule::kScore && options.documents == Documents::kStream &&
      have <= options.loader.block_size) {
    throw DataError(fmt::format(
        "[data] data to score must have at least block_size + 1 = {} tokens, more than one window; {} has {}. "
        "Hint: give a longer file.",
        grouped(options.loader.block_size + 1), options.path, grouped(have)));
  }
  if (options.documents == Documents::kStream && have <= options.loader.block_size) {
    throw DataError(fmt::format(
        "[data] the training split must have at least block_size + 1 = {} tokens; got {} tokens (of {} in {}) for a "
        "block_size of {}. Hint: use more text or a smaller model.block_size.",
        grouped(options.loader.block_size + 1), grouped(have), grouped(all), options.path, options.loader.block_size));
  }
  if (train.count() == 0) {
    throw DataError(
        fmt::format("[data] the training split must have at least one document; {} leaves it empty.", options.path));
  }
  if (options.split != SplitRule::kNone && val.count() == 0) {
    throw DataError(fmt::format(
        "[data] the validation split must not be empty; of the {} tokens of the data it got {}. Hint: a larger "
        "data.val_fraction, another data.split, or more data.",
        grouped(all), grouped(data.val.tokens.size())));
  }
}

std::string split_line(std::string_view name, const SplitFacts& facts, bool stream, std::int64_t block_size) {
  if (stream) {
    return fmt::format("{}: {} tokens, {} windows of up to {}", name, grouped(facts.tokens), grouped(facts.windows),
                       grouped(block_size));
  }
  return fmt::format("{}: {} documents, {} tokens, {} windows of up to {}", name, grouped(facts.documents),
                     grouped(facts.targets), grouped(facts.windows), grouped(block_size));
}

std::string kind_of(const Tokenizer& tokenizer) {
  if (tokenizer.name() == "bpe") return "byte pairs";
  if (tokenizer.name() == "wordpiece") return "pieces of words";
  if (tokenizer.name() == "sentencepiece") return "SentencePiece";
  return fmt::format("{}-level", tokenizer.name());
}

}  // namespace

/// For whoever has a model without tokenizer and a text.
const char* const kWhereTokenizersCome =
    "put the tokenizer.json, or vocab.json and merges.txt, that belongs to the model into its folder; or give token "
    "files (.bin) that its tokenizer made";

/// model.vocab_size decides only where no tokenizer does, and may pad the vocabulary of one; it must not be ignored
/// silently.
void take_vocabulary(OpenedData& opened, const DatasetOptions& options) {
  if (options.vocab_size == 0) return;
  const bool own = options.model_without_tokenizer.empty() || !options.bpe.path.empty();  // its tokenizer was named
  if (!own && options.vocab_size != opened.vocab_size) {
    throw ConfigError(fmt::format(
        "[data] data must be made of the model's own tokens; {} has {} tokens and brings no tokenizer, and "
        "the tokenizer for {} has {}. Hint: {}",
        options.model_without_tokenizer, options.vocab_size, options.path, opened.vocab_size, kWhereTokenizersCome));
  }
  if (options.vocab_size < opened.vocab_size) {
    throw ConfigError(fmt::format(
        "[data] model.vocab_size must be 0, or at least the size of the vocabulary that the tokenizer has; got {}, and "
        "the tokenizer of {} has {}. Hint: leave model.vocab_size out.",
        options.vocab_size, options.path, opened.vocab_size));
  }
  opened.vocab_size = options.vocab_size;
}

/// @return the id that begins a document where windows shall be cut there, else -1.
std::int32_t document_token(const OpenedData& opened, const DatasetOptions& options) {
  if (!options.mask_documents) return -1;
  if (options.document_token >= opened.vocab_size) {
    throw ConfigError(fmt::format("[data] data.document_token must be an id of the vocabulary, below {}; got {}.",
                                  opened.vocab_size, options.document_token));
  }
  if (options.document_token >= 0) return static_cast<std::int32_t>(options.document_token);
  if (opened.tokenizer && opened.tokenizer->boundary_id()) return *opened.tokenizer->boundary_id();
  throw ConfigError(fmt::format(
      "[data] data.mask_documents needs a token that begins each document; {} has none. Hint: {}.", options.path,
      opened.tokenizer ? "data.documents = \"lines\" or \"files\" gives text one"
                       : "name it by data.document_token: 50256 in files that hold GPT-2's ids"));
}

/// Puts a Dataset together; beside Dataset itself the only one that may.
class DatasetOpener {
 public:
  static Dataset open(const DatasetOptions& options) {
    check_options(options);
    const bool tokens = is_token_data(options.path, options.format);
    require(options.split != SplitRule::kFile || tokens == is_token_data(options.val_path, options.format),
            "data.path and data.val_path must both be text or both be token files.");
    const bool packed = is_packed(options.path, options.format);
    require(options.split != SplitRule::kFile || packed == is_packed(options.val_path, options.format),
            "data.path and data.val_path must both be packed or none of them.");
    OpenedData opened = packed   ? open_packed_data(options)
                        : tokens ? open_token_data(options)
                                 : open_text_data(options);
    take_vocabulary(opened, options);
    const bool stream = options.documents == Documents::kStream;
    WindowSet train = windows_of(opened.train, options, true);
    WindowSet val = windows_of(opened.val, options, false);
    check_sizes(opened, train, val, options);
    LoaderOptions loader = options.loader;
    loader.document_token = document_token(opened, options);

    Dataset data;
    data.train_facts_ = facts_of(opened.train, train, opened.tokenizer.get());
    data.val_facts_ = facts_of(opened.val, val, opened.tokenizer.get());
    data.train_ = stream ? std::make_shared<TrainLoader>(opened.train.tokens, loader)
                         : std::make_shared<TrainLoader>(opened.train.tokens, std::move(train), loader);
    data.val_ =
        std::make_shared<EvalLoader>(opened.val.tokens, std::move(val), loader.block_size, loader.document_token);
    data.tokenizer_ = std::move(opened.tokenizer);
    data.vocab_size_ = opened.vocab_size;
    data.fingerprint_ = std::move(opened.fingerprint);
    data.notes_ = std::move(opened.notes);
    data.source_ = options.path;
    data.stream_ = stream;
    return data;
  }
};

std::optional<std::int32_t> Dataset::document_start() const {
  const auto boundary = tokenizer_ ? tokenizer_->boundary_id() : std::nullopt;
  if (!boundary || !stream_) return boundary;
  constexpr std::int64_t kLooked = 1 << 22, kPart = 1 << 16;
  const TokenStore& tokens = train_->tokens();
  std::vector<std::int32_t> part(static_cast<std::size_t>(kPart));
  for (std::int64_t begin = 0; begin < std::min(tokens.size(), kLooked); begin += kPart) {
    const std::int64_t count = std::min(kPart, tokens.size() - begin);
    tokens.copy(begin, count, part.data());
    if (std::find(part.begin(), part.begin() + count, *boundary) != part.begin() + count) return boundary;
  }
  return std::nullopt;
}

Dataset Dataset::open(const DatasetOptions& options) { return DatasetOpener::open(options); }

std::vector<std::string> Dataset::describe(std::int64_t steps) const {
  const LoaderOptions& loader = train_->options();
  std::vector<std::string> lines;
  lines.push_back(fmt::format("data: {} ({} file{}, {} bytes, sha256 {})", source_,
                              grouped(static_cast<std::int64_t>(fingerprint_.files.size())),
                              fingerprint_.files.size() == 1 ? "" : "s",
                              grouped(static_cast<std::int64_t>(fingerprint_.bytes())),
                              fingerprint_.files.size() == 1 ? fingerprint_.files[0].sha256.substr(0, 12)
                                                             : fingerprint_.digest().substr(0, 12)));
  lines.push_back(fmt::format("vocabulary: {} tokens ({})", grouped(vocab_size_),
                              tokenizer_ ? kind_of(*tokenizer_) : "ids only, no tokenizer"));
  lines.push_back(split_line("training", train_facts_, stream_, loader.block_size));
  if (val_->windows() > 0) lines.push_back(split_line("validation", val_facts_, stream_, loader.block_size));
  lines.push_back(fmt::format("order: {}; {} steps of {} windows are {:.2f} passes over the training data",
                              loader.order == SampleOrder::kEpoch ? "epoch" : "random", grouped(steps),
                              grouped(loader.batch_size), train_->epochs(steps)));
  return lines;
}

}  // namespace minnow
