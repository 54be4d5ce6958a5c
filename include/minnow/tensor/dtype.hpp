#pragma once
/// @file
/// Names the element types of tensors and ties them to C++ types.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace minnow {

/// Element type of a tensor.
enum class DType : std::uint8_t {
  f32,      ///< training
  f64,      ///< gradient checks
  bf16,     ///< storage and casts: the upper half of an f32
  i32,      ///< ids
  i64,      ///< ids
  boolean,  ///< masks, one byte each, 0 or 1
};

/// Storage of one bfloat16 number: sign, 8 exponent bits, 7 mantissa bits. Has no arithmetic of its own.
struct BFloat16 {
  std::uint16_t bits = 0;
};

/// @return bytes of one element.
[[nodiscard]] constexpr std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
    case DType::i64:
      return 8;
    case DType::f32:
    case DType::i32:
      return 4;
    case DType::bf16:
      return 2;
    case DType::boolean:
      return 1;
  }
  return 0;
}

/// @return "f32", "i64", ...
[[nodiscard]] constexpr std::string_view name_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "f32";
    case DType::f64:
      return "f64";
    case DType::bf16:
      return "bf16";
    case DType::i32:
      return "i32";
    case DType::i64:
      return "i64";
    case DType::boolean:
      return "bool";
  }
  return "?";
}

/// @return true for f32, f64 and bf16: the types that can carry a gradient.
[[nodiscard]] constexpr bool is_floating(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::bf16;
}

/// The DType of a C++ type: dtype_of<float> is DType::f32.
template <class T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::f32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::f64;
};
template <>
struct DTypeOf<BFloat16> {
  static constexpr DType value = DType::bf16;
};
template <>
struct DTypeOf<std::int32_t> {
  static constexpr DType value = DType::i32;
};
template <>
struct DTypeOf<std::int64_t> {
  static constexpr DType value = DType::i64;
};
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::boolean;
};

template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

}  // namespace minnow
