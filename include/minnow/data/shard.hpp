#pragma once
/// @file
/// Forms and reads minnow's own token files: shards of a packed data set, with their documents marked.
///
/// A data set is a folder of shards `shard_00000.tokens`, `shard_00001.tokens`, ... and the `tokenizer.json` they were
/// made with. The folder is complete when its last shard says that it is the last one. A shard, all numbers
/// little-endian:
///
///     at   bytes  what
///      0     8    magic "MINNOWTK"
///      8     4    version, 1
///     12     4    width: bytes of a token, 1, 2 or 4
///     16     8    vocabulary: V
///     24     8    tokens in this shard: n
///     32     8    documents that begin in this shard: d
///     40     8    bytes of text that these tokens spell, replaced characters apart
///     48     8    number of this shard, from 0
///     56     8    flags: bit 0 the last shard, bits 8 .. 15 what a document is (0 none, 1 a line, 2 a file or text),
///                 bits 16 .. 63 how many characters the vocabulary did not have, or were not UTF-8
///     64     8    pieces of text (TextReader) that this shard and those before it were made of
///     72     8    hash of these pieces, chained: h = XXH3-64(piece, seed = h), from h = 0
///     80    32    SHA-256 of tokenizer.json
///    112     8    XXH3-64 of everything behind the header
///    120     8    XXH3-64 of the 120 bytes before
///    128   n w    the tokens; then zeros up to a multiple of 8
///           8 d   the position in this shard of each document's first token, which is the boundary, increasing
///
/// With documents, the tokens of all shards in a row are boundary, document, boundary, ..., document, boundary: the
/// last one stands at the end of the last shard and begins no document. A document may go on in the next shard. Pieces
/// and their hash are what packing goes on from after it was stopped.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/data/corpus.hpp"

namespace minnow {

inline constexpr std::size_t kShardHeaderBytes = 128;

/// What a shard says of itself.
struct ShardInfo {
  int width = 2;
  std::int64_t vocab_size = 0;
  std::int64_t tokens = 0;
  std::int64_t documents = 0;
  std::int64_t text_bytes = 0;
  std::int64_t unknown = 0;  ///< characters that were replaced or left out
  std::int64_t number = 0;
  bool last = false;
  Documents kind = Documents::kStream;
  std::int64_t pieces = 0;
  std::uint64_t text_hash = 0;
  std::array<std::uint8_t, 32> tokenizer{};
  std::uint64_t content_hash = 0;

  bool operator==(const ShardInfo&) const = default;

  /// @return where the positions of documents begin in the file.
  [[nodiscard]] std::uint64_t index_offset() const;
};

/// Checks the header, the size of the file against it, and that the positions of documents increase within the shard.
/// The hash of the content is not computed (check_shard_content).
/// Throws: DataError naming `name`.
[[nodiscard]] ShardInfo parse_shard(std::span<const std::byte> bytes, std::string_view name);

/// Throws: DataError when what stands behind the header is not what was written.
void check_shard_content(std::span<const std::byte> bytes, const ShardInfo& info, std::string_view name);

/// @return position number `index` of a document; `bytes` is the whole file.
[[nodiscard]] std::int64_t document_start(std::span<const std::byte> bytes, const ShardInfo& info, std::int64_t index);

/// Collects the tokens of one shard.
class ShardBuilder {
 public:
  explicit ShardBuilder(std::int64_t vocab_size);

  void append(std::span<const std::int32_t> ids);
  /// A document begins with the token that is appended next.
  void begin_document() { starts_.push_back(static_cast<std::uint64_t>(tokens_)); }
  [[nodiscard]] std::int64_t tokens() const noexcept { return tokens_; }

  /// @param info  what the builder does not know: text_bytes, unknown, number, last, kind, pieces, text_hash,
  /// tokenizer.
  /// @return the parts of the file, to be written one after the other. They look into the builder, and are valid until
  /// it changes.
  [[nodiscard]] std::vector<std::string_view> finish(ShardInfo info);

  /// Starts the next shard.
  void clear();

 private:
  std::int64_t vocab_size_;
  int width_;
  std::int64_t tokens_ = 0;
  std::string bytes_, header_;
  std::vector<std::uint64_t> starts_;
};

/// @return the name of shard `number`: "shard_00000.tokens".
[[nodiscard]] std::string shard_name(std::int64_t number);

/// @return whether `path` is a folder that holds a packed data set, complete or not.
[[nodiscard]] bool is_packed_folder(const std::filesystem::path& path);

}  // namespace minnow
