#pragma once
/// @file
/// Takes ids as i32 or i64.

#include <fmt/format.h>

#include "minnow/autograd/op.hpp"
#include "minnow/base/error.hpp"

namespace minnow::ops {

/// Throws: ShapeError naming `who` unless `ids` holds i32 or i64.
inline void check_ids(const char* who, const TensorSpec& ids) {
  if (ids.dtype != DType::i32 && ids.dtype != DType::i64) {
    throw ShapeError(fmt::format("[{}] ids and targets must be i32 or i64; got {}", who, ids.str()));
  }
}

/// Calls `body(const std::int32_t*)` or `body(const std::int64_t*)`.
template <class Body>
void with_ids(const Tensor& ids, Body&& body) {
  if (ids.dtype() == DType::i32) {
    body(ids.data<std::int32_t>());
  } else {
    body(ids.data<std::int64_t>());
  }
}

}  // namespace minnow::ops
