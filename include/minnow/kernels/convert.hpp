#pragma once
/// @file
/// Conversions between number types. A bf16 is its 16 bits in a std::uint16_t here.

#include <bit>
#include <cstdint>

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// @return the bf16 nearest to x, ties to even; overflow gives infinity, NaN stays a (quiet) NaN with its sign.
[[nodiscard]] constexpr std::uint16_t bf16_from_f32(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

/// @return the value of a bf16, exactly.
[[nodiscard]] constexpr float f32_from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

/// y = x rounded to bf16 as bf16_from_f32 does.
void convert_f32_to_bf16(std::uint16_t* y, const float* x, Index n);

/// y = x, exactly.
void convert_bf16_to_f32(float* y, const std::uint16_t* x, Index n);

/// y = x rounded to the nearest bf16 and back, in f32: what a bf16 copy of x would hold.
void round_to_bf16(float* y, const float* x, Index n);

/// The first and the third on the calling thread alone, for short rows inside a parallel loop.
void convert_f32_to_bf16_serial(std::uint16_t* y, const float* x, Index n);
void round_to_bf16_serial(float* y, const float* x, Index n);

/// y = x by C++'s conversion between the arithmetic types (f64 to f32 rounds to nearest even; a number is true when it
/// is not 0; floats to integers truncate and must fit). Contiguous; y and x do not overlap.
template <class To, class From>
void convert(To* y, const From* x, Index n) {
  constexpr Index kChunk = 16384;
  parallel_ranges(n, kChunk, [=](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i) y[i] = static_cast<To>(x[i]);
  });
}

}  // namespace minnow::kernels
