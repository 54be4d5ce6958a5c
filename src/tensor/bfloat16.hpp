#pragma once
/// @file
/// Converts single numbers between f32 and bf16.

#include <bit>

#include "minnow/tensor/dtype.hpp"

namespace minnow {

/// @return the nearest bfloat16, ties to even; NaN stays a (quiet) NaN.
inline BFloat16 to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return {static_cast<std::uint16_t>((bits >> 16) | 0x40U)};
  return {static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16)};
}

/// @return the exact value.
inline float to_float(BFloat16 value) { return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16); }

}  // namespace minnow
