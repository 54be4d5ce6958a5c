#pragma once
/// @file
/// Keeps a long row of token ids in one, two or four bytes each, in memory or in mapped files, and copies windows out
/// of it.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "minnow/base/mapped_file.hpp"

namespace minnow {

/// @return bytes that hold every id of a vocabulary: 1 up to 256 tokens, 2 up to 65 536, else 4.
[[nodiscard]] constexpr int token_width(std::int64_t vocab_size) noexcept {
  return vocab_size <= 256 ? 1 : vocab_size <= 65536 ? 2 : 4;
}

/// A read-only row of ids; copies share the storage.
class TokenStore {
 public:
  /// No tokens.
  TokenStore();

  /// A stretch of a mapped file that holds ids in little-endian order.
  struct Part {
    std::shared_ptr<const MappedFile> file;
    std::uint64_t byte_offset = 0;
    std::int64_t count = 0;  ///< tokens
    int width = 2;           ///< bytes a token: 1, 2 or 4
  };

  /// @return the tokens of the parts one after the other.
  /// Throws: DataError when a part reaches past the end of its file.
  [[nodiscard]] static TokenStore from_files(std::vector<Part> parts);

  /// @return a store that owns the ids. Each must be in 0 .. vocab_size - 1.
  [[nodiscard]] static TokenStore from_ids(std::span<const std::int32_t> ids, std::int64_t vocab_size);

  /// @return the number of tokens.
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// @return token `index` (0 <= index < size()). Ids from 2^31 up read as negative: find_outside reports them.
  [[nodiscard]] std::int32_t at(std::int64_t index) const;

  /// Copies tokens begin .. begin + count - 1 to `out`. Throws: std::out_of_range unless they all exist; IoError when a
  /// mapped file was cut or written to since it was opened.
  void copy(std::int64_t begin, std::int64_t count, std::int32_t* out) const;

  /// @return the tokens begin .. begin + count - 1 as a store of their own. Throws: std::out_of_range.
  [[nodiscard]] TokenStore slice(std::int64_t begin, std::int64_t count) const;

  /// @return the tokens of the parts one after the other; storage is shared, nothing is copied.
  [[nodiscard]] static TokenStore joined(const std::vector<TokenStore>& parts);

  /// @return bytes of memory that hold the tokens: none for those in mapped files.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

  /// Reads everything once. @return the index of the first id that is not in 0 .. vocab_size - 1; size() when all are.
  [[nodiscard]] std::int64_t find_outside(std::int64_t vocab_size) const;

 private:
  friend class TokenStoreBuilder;
  struct Storage;
  std::shared_ptr<const Storage> storage_;
  std::int64_t begin_ = 0;
  std::int64_t size_ = 0;
};

/// Collects ids piece by piece without ever holding them at full width.
class TokenStoreBuilder {
 public:
  explicit TokenStoreBuilder(std::int64_t vocab_size) : width_(token_width(vocab_size)) {}

  void append(std::span<const std::int32_t> ids);
  void append(std::int32_t id) { append(std::span(&id, 1)); }
  [[nodiscard]] std::int64_t size() const noexcept;

  /// @return the store; the builder is then empty.
  [[nodiscard]] TokenStore finish();

 private:
  int width_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint16_t> narrow_;
  std::vector<std::uint32_t> wide_;
};

}  // namespace minnow
