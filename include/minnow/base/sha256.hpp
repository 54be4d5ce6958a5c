#pragma once
/// @file
/// Computes SHA-256 digests of bytes and files: the proof that a checkpoint, a data set or a state is what it was.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace minnow {

/// Adds bytes piece by piece and gives their SHA-256. Threads: one object belongs to one thread.
/// Source: FIPS 180-4; the arithmetic is OpenSSL's (it uses the SHA instructions of the processor).
class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  Sha256();
  ~Sha256();
  Sha256(Sha256&& other) noexcept;
  Sha256& operator=(Sha256&& other) noexcept;
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  /// Adds bytes to the message.
  void update(std::span<const std::byte> bytes);
  /// Adds the bytes of a text to the message.
  void update(std::string_view text) { update(std::as_bytes(std::span(text))); }

  /// @return the digest of everything added so far; the object then starts anew with the empty message.
  [[nodiscard]] Digest finish();
  /// @return finish() as 64 lower-case hexadecimal digits.
  [[nodiscard]] std::string finish_hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// @return the SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::span<const std::byte> bytes);
/// @return the SHA-256 of `text` as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view text);

/// Reads a file in pieces of 1 MiB (memory does not grow with the file).
/// @return the SHA-256 of the file's bytes as 64 lower-case hexadecimal digits.
/// @throws IoError if the file cannot be opened or read.
[[nodiscard]] std::string sha256_file_hex(const std::filesystem::path& path);

}  // namespace minnow
