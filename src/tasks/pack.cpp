#include "minnow/tasks/pack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "data/text_block.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/fast_hash.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/base/mapped_file.hpp"
#include "minnow/base/sha256.hpp"
#include "minnow/data/packed.hpp"
#include "minnow/data/shard.hpp"
#include "minnow/data/text_reader.hpp"
#include "minnow/io/file.hpp"
#include "minnow/io/run_lock.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTokenizerFile = "tokenizer.json";

void remove_shards(const fs::path& folder) {
  // The last one first: what is left after an interruption is a data set that is not finished.
  std::int64_t count = 0;
  while (path_exists(folder / shard_name(count))) ++count;
  while (count > 0) remove_file(folder / shard_name(--count));
  remove_file(folder / kTokenizerFile);
}

/// Reads texts, fills shards, writes them.
class Packer {
 public:
  explicit Packer(const PackOptions& options)
      : options_(options), tokenizer_(*options.tokenizer), shard_(tokenizer_.vocab_size()) {
    json_ = tokenizer_.to_json();
    Sha256 hash;
    hash.update(std::string_view(json_));
    digest_ = hash.finish();
    if (options.documents != Documents::kStream) {
      if (!tokenizer_.boundary_id()) {
        throw DataError(fmt::format(
            "[pack] documents must have a boundary token between them; the {}-level tokenizer has none. Hint: "
            "--documents stream, or a tokenizer with {}.",
            tokenizer_.name(), kBoundaryPiece));
      }
      boundary_ = *tokenizer_.boundary_id();
    }
  }

  PackResult run() {
    try {
      PackResult packed = pack();
      if (!begun_) withdraw();  // interrupted
      return packed;
    } catch (...) {
      if (!begun_) withdraw();
      if (options_.stays && begun_ && result_.shards > 0) options_.stays(result_.shards);
      throw;
    }
  }

 private:
  void withdraw() {
    if (lock_) lock_->withdraw();
  }

  PackResult pack() {
    prepare_folder();
    TextReaderOptions reading{.documents = options_.documents,
                              .field = options_.text_field,
                              .input_is_jsonl = options_.input_is_jsonl,
                              .cut_before = [this](std::string_view text, std::size_t position) {
                                return tokenizer_.cut_before(text, position);
                              }};
    TextReader reader(options_.files, std::move(reading));
    pass_over(reader);
    TextBlock block;
    while (block.read(reader)) {
      block.encode(tokenizer_, options_.unknown, reader);
      for (const TextBlock::Piece& piece : block.pieces()) add(block, piece);
      if (options_.progress) options_.progress(reader.consumed(), result_.tokens + shard_.tokens());
      if (options_.interrupted && options_.interrupted()) return result_;
    }
    if (result_.text_bytes + bytes_ == 0) {
      if (result_.unknown + unknown_ > 0) {
        throw DataError(
            "[pack] texts must hold characters of the vocabulary; they hold none. Hint: pack them with a tokenizer "
            "that "
            "was made for them.");
      }
      throw DataError(
          "[pack] texts must hold something to learn from; they are empty. Hint: check that they are the "
          "files you meant.");
    }
    if (boundary_) shard_.append(std::span(&*boundary_, 1));
    write(true);
    result_.finished = true;
    return result_;
  }

  void prepare_folder() {
    if (path_exists(options_.folder) && !fs::is_directory(options_.folder)) {
      throw IoError(fmt::format("[pack] --out must name a folder; {} is a file.", options_.folder.string()));
    }
    lock_ = RunLock::acquire(options_.folder);
    const fs::path json = options_.folder / kTokenizerFile;
    const bool other = path_exists(json) && read_file(json) != json_;
    if (options_.overwrite) {
      if (other && !path_exists(options_.folder / shard_name(0))) {
        throw ConfigError(
            fmt::format("[pack] --out must name a packed data set to replace, or a folder that is free; {} holds a "
                        "tokenizer.json without shards. Hint: --out names another folder.",
                        options_.folder.string()));
      }
      return;
    }
    find_shards();
    if (other) {
      throw ConfigError(
          fmt::format("[pack] {} must be free or of the same packing; it holds another tokenizer.json. "
                      "Hint: --overwrite starts over, --out names another folder.",
                      options_.folder.string()));
    }
  }

  /// Before the first shard that is written: from here on the folder holds this data set.
  void begin_set() {
    if (options_.overwrite) remove_shards(options_.folder);
    write_file_atomic(options_.folder / kTokenizerFile, json_);
    begun_ = true;
  }

  /// Takes over what an earlier packing finished.
  void find_shards() {
    for (;; ++result_.shards) {
      const fs::path path = options_.folder / shard_name(result_.shards);
      if (!path_exists(path)) break;
      const MappedFile file = MappedFile::open(path, "pack");
      const ShardInfo info = parse_shard(file.bytes(), path.string());
      check_shard_content(file.bytes(), info, path.string());
      if (info.tokenizer != digest_ || info.kind != options_.documents || info.number != result_.shards) {
        throw ConfigError(
            fmt::format("[pack] {} must be free or of the same packing; {} was made with another "
                        "tokenizer or other documents. Hint: --overwrite starts over.",
                        options_.folder.string(), path.filename().string()));
      }
      if (info.last) {
        throw ConfigError(
            fmt::format("[pack] {} must be free; it holds a complete data set already. Hint: --overwrite "
                        "starts over, --out names another folder.",
                        options_.folder.string()));
      }
      result_.tokens += info.tokens;
      result_.documents += info.documents;
      result_.text_bytes += info.text_bytes;
      result_.unknown += info.unknown;
      kept_ = info;
    }
    result_.resumed_shards = result_.shards;
  }

  /// Reads again what the shards that are there were made of, without encoding it.
  void pass_over(TextReader& reader) {
    if (!kept_) return;
    TextPiece piece;
    while (pieces_ < kept_->pieces && reader.next(piece)) count_piece(piece.text);
    if (pieces_ != kept_->pieces || text_hash_ != kept_->text_hash) {
      throw DataError(
          fmt::format("[pack] the texts must be those that the {} shards in {} were made of; they are not. Hint: "
                      "--overwrite starts "
                      "over.",
                      grouped(result_.shards), options_.folder.string()));
    }
  }

  void count_piece(std::string_view text) {
    ++pieces_;
    text_hash_ = fast_hash(std::as_bytes(std::span(text)), text_hash_);
  }

  void add(const TextBlock& block, const TextBlock::Piece& piece) {
    if (shard_.tokens() >= options_.shard_tokens) write(false);
    if (piece.place.begins && boundary_) {
      shard_.begin_document();
      shard_.append(std::span(&*boundary_, 1));
      ++documents_;
    }
    shard_.append(block.ids(piece));
    count_piece(block.text(piece));
    bytes_ += static_cast<std::int64_t>(piece.length) - piece.unknown.bytes;
    unknown_ += piece.unknown.characters + piece.unknown.ill_formed;
  }

  void write(bool last) {
    ShardInfo info;
    info.text_bytes = bytes_;
    info.unknown = unknown_;
    info.number = result_.shards;
    info.last = last;
    info.kind = options_.documents;
    info.pieces = pieces_;
    info.text_hash = text_hash_;
    info.tokenizer = digest_;
    const std::int64_t tokens = shard_.tokens();
    const auto parts = shard_.finish(info);
    if (!begun_) begin_set();
    write_file_atomic(options_.folder / shard_name(result_.shards), [&](ByteSink& sink) {
      for (const std::string_view part : parts) sink.write(part);
    });
    shard_.clear();
    ++result_.shards;
    result_.tokens += tokens;
    result_.documents += documents_;
    result_.text_bytes += bytes_;
    result_.unknown += unknown_;
    documents_ = bytes_ = unknown_ = 0;
  }

  const PackOptions& options_;
  const Tokenizer& tokenizer_;
  std::optional<RunLock> lock_;
  ShardBuilder shard_;
  std::string json_;
  Sha256::Digest digest_{};
  std::optional<std::int32_t> boundary_;
  std::optional<ShardInfo> kept_;  // the last shard that was there already
  PackResult result_;
  bool begun_ = false;  // the folder holds this data set
  std::int64_t pieces_ = 0;
  std::uint64_t text_hash_ = 0;
  std::int64_t documents_ = 0, bytes_ = 0, unknown_ = 0;  // of the present shard
};

}  // namespace

PackResult pack_texts(const PackOptions& options) { return Packer(options).run(); }

void remove_packed(const fs::path& folder) {
  remove_shards(folder);
  remove_file(folder / ".lock");
  std::error_code ignored;
  fs::remove(folder, ignored);  // only when it is empty
}

void check_export_name(TokenFormat format, std::int64_t vocab_size, const fs::path& path) {
  const TokenLayout layout = layout_for(format, vocab_size);
  const bool named_wide = path.string().ends_with(".u32.bin");
  if (layout == TokenLayout::kRaw32 && !named_wide) {
    throw ConfigError(
        fmt::format("[pack] a vocabulary of {} tokens takes 32 bits an id, and raw files of these must be "
                    "named *.u32.bin; got {}.",
                    grouped(vocab_size), path.string()));
  }
  if (layout == TokenLayout::kRaw16 && named_wide) {
    throw ConfigError(
        fmt::format("[pack] a vocabulary of {} tokens takes 16 bits an id, so the file must not be named "
                    "*.u32.bin; got {}.",
                    grouped(vocab_size), path.string()));
  }
}

void export_tokens(const fs::path& folder, TokenFormat format, const fs::path& path) {
  DataFingerprint ignored;
  const PackedData data = open_packed(folder, ignored);
  const std::int64_t vocab_size = data.tokenizer->vocab_size();
  check_export_name(format, vocab_size, path);
  const TokenLayout layout = layout_for(format, vocab_size);
  const TokenStore tokens = data.tokens();
  const std::string header = token_file_header(layout, tokens.size());
  write_file_atomic(path, [&](ByteSink& sink) {
    sink.write(std::string_view(header));
    constexpr std::int64_t kPart = 1 << 18;
    std::vector<std::int32_t> ids;
    std::string bytes;
    for (std::int64_t begin = 0; begin < tokens.size(); begin += kPart) {
      ids.resize(static_cast<std::size_t>(std::min(kPart, tokens.size() - begin)));
      tokens.copy(begin, static_cast<std::int64_t>(ids.size()), ids.data());
      bytes.clear();
      append_token_bytes(layout, ids, bytes);
      sink.write(std::string_view(bytes));
    }
  });
}

}  // namespace minnow
