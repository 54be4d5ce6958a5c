#pragma once
/// @file
/// Reads and forms the token files of nanoGPT and llm.c.
///
/// nanoGPT: ids one after the other, two bytes each, no header. Vocabularies above 65 536 take four bytes each and a
/// name that ends in `.u32.bin`. llm.c: a header of 256 int32 (magic, version, token count, zeros), then the ids. Magic
/// 20240520 version 1 has two-byte ids, magic 20240801 version 7 four-byte ids. The size of the file must match the
/// count exactly. All numbers are little-endian. Source: nanoGPT data/*/prepare.py; llm.c dev/data/data_common.py,
/// llmc/dataloader.h.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/data/token_store.hpp"

namespace minnow {

inline constexpr std::int32_t kLlmcMagic16 = 20240520;
inline constexpr std::int32_t kLlmcMagic32 = 20240801;
inline constexpr std::size_t kLlmcHeaderBytes = 1024;

/// How the bytes of a token file are laid out.
enum class TokenLayout { kRaw16, kRaw32, kLlmc16, kLlmc32 };

/// What a token file says of itself.
struct TokenFileInfo {
  TokenLayout layout = TokenLayout::kRaw16;
  std::int64_t count = 0;         ///< tokens
  std::uint64_t byte_offset = 0;  ///< where they begin
  int width = 2;                  ///< bytes a token

  bool operator==(const TokenFileInfo&) const = default;
};

/// What the caller expects of a file.
enum class TokenFormat {
  kAuto,     ///< llm.c when the file begins with one of its magic numbers, else nanoGPT
  kNanogpt,  ///< raw, whatever the first bytes say
  kLlmc,     ///< the header must be there
};

/// Checks the header against the size of the file; nothing else is read and nothing allocated.
/// @param bytes  the whole file
/// @param name  the file's name: for error messages, and for `.u32.bin`
/// Throws: DataError for an empty file, an odd size, a wrong magic or version, a count that the size contradicts, a
/// header in big-endian order, a model file or evaluation file of llm.c.
[[nodiscard]] TokenFileInfo parse_token_file(std::span<const std::byte> bytes, TokenFormat format,
                                             std::string_view name);

/// Maps the file and checks it.
/// Throws: IoError when it cannot be read; DataError as parse_token_file.
[[nodiscard]] TokenStore open_token_file(const std::filesystem::path& path, TokenFormat format = TokenFormat::kAuto);

/// @return the layout for a vocabulary: two-byte ids up to 65 536 tokens, else four-byte ids.
[[nodiscard]] TokenLayout layout_for(TokenFormat format, std::int64_t vocab_size);

/// @return the bytes that come before the ids: llm.c's header, or nothing.
/// Throws: DataError when llm.c cannot count so many tokens (2^31 and more).
[[nodiscard]] std::string token_file_header(TokenLayout layout, std::int64_t count);

/// Appends the ids to `bytes` as the layout stores them.
/// Throws: DataError when an id is negative or does not fit.
void append_token_bytes(TokenLayout layout, std::span<const std::int32_t> ids, std::string& bytes);

/// @return a whole token file, ready to be written: header and ids.
[[nodiscard]] std::string token_file_bytes(TokenLayout layout, std::span<const std::int32_t> ids);

}  // namespace minnow
