#include "minnow/base/sha256.hpp"

#include <openssl/evp.h>

#include "base/read_pieces.hpp"
#include "minnow/base/error.hpp"

namespace minnow {

namespace {

struct ContextDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

// OpenSSL refuses only when memory is short or the digest is barred by the system's policy.
void require(bool done) {
  if (!done) throw Error(ExitCode::kInternal, "[sha256] the cryptographic library must offer SHA-256; it refused.");
}

}  // namespace

struct Sha256::State {
  std::unique_ptr<EVP_MD_CTX, ContextDeleter> context{EVP_MD_CTX_new()};

  void start() { require(context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) { state_->start(); }
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&& other) noexcept = default;
Sha256& Sha256::operator=(Sha256&& other) noexcept = default;

void Sha256::update(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  require(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1);
}

Sha256::Digest Sha256::finish() {
  Digest digest{};
  unsigned int length = 0;
  require(EVP_DigestFinal_ex(state_->context.get(), digest.data(), &length) == 1 && length == digest.size());
  state_->start();
  return digest;
}

std::string Sha256::finish_hex() {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(64);
  for (const std::uint8_t value : finish()) {
    text += kDigits[value >> 4U];
    text += kDigits[value & 15U];
  }
  return text;
}

std::string sha256_hex(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish_hex();
}

std::string sha256_hex(std::string_view text) { return sha256_hex(std::as_bytes(std::span(text))); }

std::string sha256_file_hex(const std::filesystem::path& path) {
  Sha256 hash;
  detail::read_pieces("sha256_file", path, [&](std::span<const std::byte> piece) { hash.update(piece); });
  return hash.finish_hex();
}

}  // namespace minnow
