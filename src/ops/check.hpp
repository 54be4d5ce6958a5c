#pragma once
/// @file
/// Checks what many operations ask of their inputs.

#include <fmt/format.h>

#include <string_view>

#include "minnow/base/error.hpp"
#include "minnow/tensor/tensor.hpp"

namespace minnow::ops {

/// Throws: ShapeError, naming `who`, for an empty handle. For functions that read a shape before they call apply().
inline void check_given(std::string_view who, const Tensor& x) {
  if (!x.defined()) throw ShapeError(fmt::format("[{}] the input must be a tensor; got an empty handle", who));
}

/// @return the sum of two sizes. Throws: ShapeError, naming `who`, beyond 2^63 - 1.
inline Index plus(std::string_view who, Index a, Index b) {
  Index sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  throw ShapeError(fmt::format("[{}] sizes must stay below 2^63; got {} + {}", who, a, b));
}

/// @return the product of two sizes. Throws: ShapeError, naming `who`, beyond 2^63 - 1.
inline Index times(std::string_view who, Index a, Index b) {
  Index product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  throw ShapeError(fmt::format("[{}] sizes must stay below 2^63; got {} * {}", who, a, b));
}

/// Throws: ShapeError, naming `who`, unless `x` holds floating numbers.
inline void check_floating(std::string_view who, const TensorSpec& x) {
  if (!is_floating(x.dtype)) {
    throw ShapeError(fmt::format("[{}] the input must be f32 or f64; got {}. Hint: cast it first", who, x.str()));
  }
}

}  // namespace minnow::ops
