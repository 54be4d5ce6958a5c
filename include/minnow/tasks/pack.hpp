#pragma once
/// @file
/// Turns texts of any size into a packed data set: shards of token ids (data/shard.hpp), from which runs train without
/// reading or encoding text again.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "minnow/data/corpus.hpp"
#include "minnow/data/token_file.hpp"
#include "minnow/text/tokenizer.hpp"

namespace minnow {

/// What is packed, and how.
struct PackOptions {
  std::vector<std::filesystem::path> files;  ///< as find_text_files gives them; "-" is standard input
  Documents documents = Documents::kFiles;
  std::string text_field = "text";
  bool input_is_jsonl = false;  ///< standard input holds JSON Lines
  std::shared_ptr<const Tokenizer> tokenizer;
  UnknownCharacter unknown = UnknownCharacter::kError;
  std::filesystem::path folder;  ///< where the shards go
  bool overwrite = false;        ///< a data set that is there already is replaced, once there is a shard to write
  /// Tokens after which a shard ends (with the piece of text that reaches it). Held in memory until it is written.
  std::int64_t shard_tokens = std::int64_t{1} << 25U;

  /// Hears after each block how many bytes of the files were read and how many tokens there are; nullptr: nobody.
  std::function<void(std::uint64_t bytes, std::int64_t tokens)> progress{};
  /// True ends the packing after the block at hand. Shards that are written stay.
  std::function<bool()> interrupted{};
  /// Hears before an error is thrown how many finished shards stay, where there are any; nullptr: nobody.
  std::function<void(std::int64_t shards)> stays{};
};

/// What was packed.
struct PackResult {
  bool finished = false;  ///< not interrupted
  std::int64_t shards = 0, resumed_shards = 0, tokens = 0, documents = 0;
  std::int64_t text_bytes = 0;  ///< that the tokens spell
  std::int64_t unknown = 0;     ///< characters that were replaced or left out
};

/// Reads the texts once, encodes blocks of them in parallel and writes one shard after the other, each whole or not at
/// all. Memory: one shard and one block (about 4 MiB of text), whatever the size of the texts. The shards are the same
/// for any number of threads, and those of a packing that was stopped at any moment and run again are the same as of
/// one that was not: finished shards are kept when the texts they were made of are still the same. Where no shard was
/// finished, by an interruption or an error, nothing stays that was not there before.
/// Throws: ConfigError when `folder` holds a complete data set already (without overwrite); DataError when documents
/// need a boundary that the tokenizer lacks, for unknown characters, texts as TextReader, texts without content, and
/// when the texts differ from those of the shards that are there; IoError.
PackResult pack_texts(const PackOptions& options);

/// Writes the tokens of a packed data set as one token file of nanoGPT or llm.c, whole or not at all.
/// Throws: DataError when llm.c cannot count so many tokens; ConfigError when nanoGPT's form needs a name that ends in
/// .u32.bin and `path` does not; IoError.
void export_tokens(const std::filesystem::path& folder, TokenFormat format, const std::filesystem::path& path);

/// Throws: the ConfigError of export_tokens, before anything is done.
void check_export_name(TokenFormat format, std::int64_t vocab_size, const std::filesystem::path& path);

/// Removes shards, tokenizer.json and the folder if it is then empty.
void remove_packed(const std::filesystem::path& folder);

}  // namespace minnow
