#pragma once
/// @file
/// Opens the folder that `minnow data pack` writes.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "minnow/base/mapped_file.hpp"
#include "minnow/data/fingerprint.hpp"
#include "minnow/data/shard.hpp"
#include "minnow/data/token_store.hpp"
#include "minnow/text/tokenizer.hpp"

namespace minnow {

/// One shard, mapped.
struct PackedShard {
  std::shared_ptr<const MappedFile> file;
  ShardInfo info;
};

/// A packed data set. Its tokens stay in the files: nothing here grows with them.
struct PackedData {
  std::filesystem::path folder;
  std::vector<PackedShard> shards;  ///< at least one, by number
  std::shared_ptr<const Tokenizer> tokenizer;
  std::int64_t documents = 0, text_bytes = 0, unknown = 0;

  /// @return all tokens in a row.
  [[nodiscard]] TokenStore tokens() const;
  /// @return the SHA-256 of tokenizer.json that the shards name, 64 hexadecimal digits.
  [[nodiscard]] std::string tokenizer_digest() const;
  /// Reads everything once, in parallel. Throws: DataError for a shard whose content is not what was written, or with
  /// an id outside of the vocabulary.
  void check() const;
};

/// Maps the shards of a folder and reads its tokenizer.
/// @param fingerprint  gets one entry for each shard and one for tokenizer.json: they are read for it, in parallel.
/// Throws: IoError when files are missing or unreadable; DataError when the data set is incomplete (packing was not
/// finished), shards do not belong together, or the tokenizer is not the one they were made with.
[[nodiscard]] PackedData open_packed(const std::filesystem::path& folder, DataFingerprint& fingerprint);

/// @param unknown  how many characters, at most, the fallback token stands for: these spell nothing that was there
/// @return bytes that the tokens spell; boundaries spell none. Threads: in parallel.
[[nodiscard]] std::int64_t text_bytes_of(const TokenStore& tokens, const Tokenizer& tokenizer,
                                         std::int64_t unknown = 0);

}  // namespace minnow
