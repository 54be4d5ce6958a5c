#pragma once
/// @file
/// Checks what many operations ask of their inputs.

#include <fmt/format.h>

#include <string_view>

#include "minnow/base/error.hpp"
#include "minnow/tensor/tensor.hpp"

namespace minnow::ops {

/// Throws: ShapeError, naming `who`, unless `x` holds floating numbers.
inline void check_floating(std::string_view who, const TensorSpec& x) {
  if (!is_floating(x.dtype)) {
    throw ShapeError(fmt::format("[{}] the input must be f32 or f64; got {}. Hint: cast it first", who, x.str()));
  }
}

}  // namespace minnow::ops
