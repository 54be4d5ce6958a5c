/// @file
/// Opens a packed data set: maps its shards, checks them, and splits them.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "data/dataset_parts.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/base/parallel.hpp"
#include "minnow/base/sha256.hpp"
#include "minnow/data/packed.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;

std::string kind_name(Documents kind) {
  return kind == Documents::kStream ? "stream" : kind == Documents::kLines ? "lines" : "files";
}

void check_shard_options(const PackedData& data, const DatasetOptions& options, const std::string& path) {
  const Documents kind = data.shards.front().info.kind;
  if (options.documents != Documents::kStream && options.documents != kind) {
    throw ConfigError(fmt::format(
        "[data] data.documents must be \"stream\" or what {} was packed with; got \"{}\", and it was packed with "
        "--documents {}.",
        path, kind_name(options.documents), kind_name(kind)));
  }
  if (options.stored && sha256_hex(options.stored->to_json()) != data.tokenizer_digest()) {
    throw DataError(
        fmt::format("[data] packed data must be made with the model's own tokenizer; {} was made with "
                    "another one. Hint: pack the text again, with --tokenizer RUN.",
                    path));
  }
}

/// Where documents begin in all shards in a row, and behind the last one the final boundary.
std::vector<std::int64_t> all_starts(const PackedData& data) {
  std::vector<std::int64_t> starts;
  starts.reserve(static_cast<std::size_t>(data.documents) + 1);
  std::int64_t before = 0;
  for (const PackedShard& shard : data.shards) {
    for (std::int64_t i = 0; i < shard.info.documents; ++i)
      starts.push_back(before + document_start(shard.file->bytes(), shard.info, i));
    before += shard.info.tokens;
  }
  starts.push_back(before - 1);
  return starts;
}

/// Documents first .. last - 1 of `starts`, chosen by `takes`, as a split of their own.
template <class Takes>
SplitTokens take_documents(const TokenStore& tokens, const std::vector<std::int64_t>& starts, const Takes& takes) {
  SplitTokens split;
  std::vector<TokenStore> parts;
  const std::size_t count = starts.size() - 1;
  for (std::size_t i = 0; i < count;) {
    if (!takes(static_cast<std::int64_t>(i))) {
      ++i;
      continue;
    }
    const std::size_t first = i;
    for (; i < count && takes(static_cast<std::int64_t>(i)); ++i) split.documents.push_back(starts[i + 1] - starts[i]);
    parts.push_back(tokens.slice(starts[first], starts[i] - starts[first]));
  }
  if (parts.empty()) return split;
  parts.push_back(tokens.slice(starts.back(), 1));
  split.tokens = TokenStore::joined(parts);
  return split;
}

struct SplitPair {
  SplitTokens train, val;
};

SplitPair split_packed(const PackedData& data, const DatasetOptions& options) {
  const TokenStore tokens = data.tokens();
  SplitPair pair;
  const bool whole =
      options.split == SplitRule::kNone || options.split == SplitRule::kFile || options.split == SplitRule::kScore;
  if (options.documents == Documents::kStream) {
    const std::int64_t border = whole ? tokens.size() : training_part(tokens.size(), options.val_fraction);
    pair.train.tokens = tokens.slice(0, border);
    pair.val.tokens = tokens.slice(border, tokens.size() - border);
    return pair;
  }
  const std::vector<std::int64_t> starts = all_starts(data);
  const std::int64_t border = whole ? data.documents : training_part(data.documents, options.val_fraction);
  const auto validates = [&](std::int64_t i) {
    return options.split == SplitRule::kEveryNth ? i % options.val_every == options.val_offset : i >= border;
  };
  pair.train = take_documents(tokens, starts, [&](std::int64_t i) { return !validates(i); });
  if (!whole) pair.val = take_documents(tokens, starts, validates);
  return pair;
}

/// Bytes of text that the targets of a split spell.
/// (Of the characters that were replaced all may lie in this split: the score shall not flatter.)
std::int64_t spelled_bytes(const SplitTokens& split, const Tokenizer& tokenizer, const DatasetOptions& options) {
  const std::int64_t line_ends =
      options.documents == Documents::kLines ? static_cast<std::int64_t>(split.documents.size()) : 0;
  return text_bytes_of(split.tokens, tokenizer, split.unknown.characters) + line_ends;
}

void note_unknown(const PackedData& packed, const std::string& path, std::vector<std::string>& notes) {
  if (packed.unknown == 0) return;
  UnknownText unknown;
  unknown.characters = packed.unknown;
  notes.push_back(fmt::format("{}: when it was packed {}; bits per byte does not count them", path,
                              describe_unknown(unknown, *packed.tokenizer)));
}

}  // namespace

OpenedData open_packed_data(const DatasetOptions& options) {
  OpenedData data;
  const PackedData packed = open_packed(options.path, data.fingerprint);
  PackedData validation;
  const bool by_file = options.split == SplitRule::kFile;
  if (by_file) validation = open_packed(options.val_path, data.fingerprint);
  if (options.files_read) options.files_read(data.fingerprint);
  packed.check();
  check_shard_options(packed, options, options.path);
  data.tokenizer = options.stored ? options.stored : packed.tokenizer;
  data.vocab_size = data.tokenizer->vocab_size();
  SplitPair pair = split_packed(packed, options);
  if (by_file) {
    validation.check();
    check_shard_options(validation, options, options.val_path);
    if (validation.tokenizer_digest() != packed.tokenizer_digest()) {
      throw DataError(fmt::format("[data] {} and {} must be packed with one tokenizer; they were not.", options.path,
                                  options.val_path));
    }
    pair.val = split_packed(validation, options).train;
  }
  if (options.split == SplitRule::kScore) pair.val = pair.train;
  pair.train.unknown.characters = packed.unknown;
  pair.val.unknown.characters = by_file ? validation.unknown : packed.unknown;
  note_unknown(packed, options.path, data.notes);
  if (by_file) note_unknown(validation, options.val_path, data.notes);
  data.train = std::move(pair.train);
  data.val = std::move(pair.val);
  data.val.bytes = spelled_bytes(data.val, *data.tokenizer, options);
  data.train.bytes =
      options.split == SplitRule::kScore ? data.val.bytes : spelled_bytes(data.train, *data.tokenizer, options);
  return data;
}

}  // namespace minnow
