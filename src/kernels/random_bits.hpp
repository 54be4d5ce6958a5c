#pragma once
/// @file
/// Random bits for dropout in vector code: the same words as minnow/base/philox.hpp gives, several times faster.

#include <cstddef>
#include <cstdint>

#include "minnow/base/philox.hpp"

namespace minnow::kernels {

/// out[i] = random_bits(key, first + i) for i = 0 .. count - 1. Best when `first` is a multiple of 4. Serial.
void fill_random_bits(const RandomKey& key, std::uint64_t first, std::size_t count, std::uint32_t* out);

}  // namespace minnow::kernels
