#pragma once
/// @file
/// Declares the table that the build writes from the files in src/ops.

#include <span>

#include "minnow/autograd/op.hpp"

namespace minnow {

/// @return the operations of this library, sorted by name.
std::span<const Op* const> builtin_ops();

}  // namespace minnow
