#include "exchange/number_types.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace minnow::exchange {
namespace {

template <class T, class Convert>
void convert_each(std::span<const std::byte> bytes, std::span<float> target, const Convert& convert) {
  for (std::size_t i = 0; i < target.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    target[i] = convert(value);
  }
}

}  // namespace

float f32_from_f16(std::uint16_t bits) {
  constexpr unsigned kExponents = 0x1f, kMantissa = 0x3ff, kSign = 0x8000;
  const std::uint32_t sign = (bits & kSign) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & kExponents;
  const std::uint32_t mantissa = bits & kMantissa;
  if (exponent == 0) {  // zero and what is smaller than 2^-14: multiples of 2^-24
    const float value = std::ldexp(static_cast<float>(mantissa), -24);
    return sign != 0 ? -value : value;
  }
  constexpr std::uint32_t kBias = 127 - 15, kAllOnes = 255;
  const std::uint32_t wide = exponent == kExponents ? kAllOnes : exponent + kBias;
  return std::bit_cast<float>(sign | (wide << 23U) | (mantissa << 13U));
}

bool is_weight_type(FileDtype dtype) {
  return dtype == FileDtype::kF32 || dtype == FileDtype::kF16 || dtype == FileDtype::kBf16 || dtype == FileDtype::kF64;
}

void to_f32(FileDtype dtype, std::span<const std::byte> bytes, std::span<float> target) {
  switch (dtype) {
    case FileDtype::kF16:
      return convert_each<std::uint16_t>(bytes, target, f32_from_f16);
    case FileDtype::kBf16:
      return convert_each<std::uint16_t>(bytes, target, [](std::uint16_t bits) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
      });
    case FileDtype::kF64:
      return convert_each<double>(bytes, target, [](double value) { return static_cast<float>(value); });
    default:
      return convert_each<float>(bytes, target, [](float value) { return value; });
  }
}

}  // namespace minnow::exchange
