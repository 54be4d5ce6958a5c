#pragma once
/// @file
/// The number types of weight files, as f32.

#include <cstddef>
#include <cstdint>
#include <span>

#include "minnow/io/safetensors.hpp"

namespace minnow::exchange {

/// @return the value of an IEEE half-precision number, exactly.
[[nodiscard]] float f32_from_f16(std::uint16_t bits);

/// @return whether to_f32 reads this type: F32, F16, BF16, F64.
[[nodiscard]] bool is_weight_type(FileDtype dtype);

/// @param bytes little-endian numbers of `dtype`, as many as `target` has; F64 is rounded to nearest.
void to_f32(FileDtype dtype, std::span<const std::byte> bytes, std::span<float> target);

}  // namespace minnow::exchange
