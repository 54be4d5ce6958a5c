#pragma once
/// @file
/// Computes CRC-32C (Castagnoli) checksums.

#include <array>
#include <cstdint>
#include <string_view>

namespace minnow::detail {

/// @return the table of the reflected polynomial 0x1EDC6F41.
constexpr std::array<std::uint32_t, 256> make_crc32c_table() {
  constexpr std::uint32_t kPolynomial = 0x82F63B78U;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? kPolynomial : 0U);
    table[byte] = crc;
  }
  return table;
}

/// @return the checksum of `bytes`. Source: RFC 3720, appendix B.4.
inline std::uint32_t crc32c(std::string_view bytes) {
  static constexpr auto kTable = make_crc32c_table();
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : bytes) crc = (crc >> 8U) ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 0xFFU];
  return ~crc;
}

/// @return the checksum as record files store it, so that a checksum of checksums stays useful.
/// Source: tensorflow/core/lib/hash/crc32c.h, Mask
inline std::uint32_t masked_crc32c(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return ((crc >> 15U) | (crc << 17U)) + 0xA282EAD8U;
}

}  // namespace minnow::detail
