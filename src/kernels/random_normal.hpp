#pragma once
/// @file
/// Normal random numbers in vector code: the same bits as minnow/base/philox.hpp gives, many times faster.

#include <cstdint>

#include "minnow/base/philox.hpp"

namespace minnow::kernels {

/// out[i] = float(std * random_normal(key, first + i)) for i = 0 .. count - 1, bit by bit. Serial.
void fill_random_normal(const RandomKey& key, std::uint64_t first, std::size_t count, double std, float* out);

}  // namespace minnow::kernels
